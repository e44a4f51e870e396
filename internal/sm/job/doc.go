// Package job holds the nouns of the queue: Job with the moves it may make,
// Extension (what a job asks for), the text handed to an agent, and the
// contract its report must keep.
//
// Everything here is pure: the database, the clock and the files belong to
// the packages above. docs/design/jobs.md has the drawing of the states.
package job
