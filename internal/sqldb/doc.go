// Package sqldb opens the databases of both programs and is the only place
// that knows a SQL driver.
//
// A DB has one writer and a pool of readers. Write runs a function in a
// transaction that nobody else writes beside; Read runs one on a frozen view
// that no writer disturbs. Migrate brings a schema up to date, step by step,
// each noted in a ledger. What a driver complains of is told apart by
// ProblemOf and Violated, never by the text of an error.
//
// It speaks no SQL of its own beyond that: the two store packages do.
package sqldb
