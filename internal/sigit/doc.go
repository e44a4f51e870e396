// Package sigit holds the nouns of the forge (User, Token, Repo, Issue, Pull,
// Comment) and the one question asked of them: may this Actor do this?
//
// Rights are pure functions: Actor.May looks at the actor, the action and the
// repository and at nothing else. They are asked in the verbs (package forge)
// and nowhere else; doors decode, call one verb and encode.
//
// The zero value of everything here grants nothing: an Actor{} is nobody with
// no scope, a Grant{} reaches no repository, a Repo{} belongs to nobody.
//
// Nothing here touches a disk, a database, git or a clock.
package sigit
