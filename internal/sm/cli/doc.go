// Package cli is the command line of `sm`: it decodes arguments, calls one
// verb of the rooms below, and shows the answer.
//
// Every command is a verb in a file of its own: its flags, its help and its
// run in one place; verbs lists them. One parser serves all (parse.go), one
// place turns errors into exit codes (exit.go), and the rules of the terminal
// stand atop terminal.go. Help in three forms and shell completion are read
// from the same table.
//
// Exit codes: 0 done; 1 looked, and it is not clean; 2 it could not be done;
// 3 it is there already; 4 wrong nonce; 5 not found, or no map yet.
package cli
