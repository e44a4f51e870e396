// Package cli is the command line of `sigit`: it decodes arguments, opens the
// data folder, calls one verb of the forge as the operator and shows the
// answer. `serve` puts the doors together and listens.
//
// A command is a struct with its flags and a Run, in a file of its own; cli.go
// lists them. Every flag has an environment variable. Who can run this program
// on the data folder is the operator and may do everything.
//
// Exit codes: 0 done; 1 looked, and it is not clean (doctor); 2 it could not be
// done; 3 a conflict with what is there; 5 not found.
package cli
