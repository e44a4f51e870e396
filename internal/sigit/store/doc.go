// Package store keeps the forge's nouns in SQL: SQLite by default, PostgreSQL
// where several processes share one database. Both pass one test suite.
//
// DB opens transactions, Tx has the statements, in one file per noun. One text
// serves both engines; what differs is in dialect.go with a line of why. Texts
// that are compared whatever their case are folded here, in Go, so the engines
// cannot disagree about letters.
//
// The store knows who may see a repository, because a list must be filtered
// where it is made (RepoFor, Repos). It decides nothing else: rights are
// asked in package forge.
package store
