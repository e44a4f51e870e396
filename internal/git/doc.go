// Package git runs the git program on bare repositories.
//
// Git is the program, Repo one bare repository. Reads of objects go through a
// pool of long-lived `git cat-file --batch-command` processes, because one
// process per read costs about ninety times as much. Everything else is one
// process with a deadline, bounded output and a minimal environment: no
// shell, no configuration of the host or the user, no hooks, no prompts.
//
// Names from outside are never handed to git as they are. A ref is checked
// and resolved to an object id first (Resolve); a path is looked up by
// reading tree objects (Lookup), so colons, newlines and leading dashes in
// names mean nothing special.
//
// The package knows nothing of users, permissions or the database.
package git
