package sigit

import (
	"context"
	"sync/atomic"
)

// Actor is who asks: a user through a token, or nobody in particular.
//
// An Actor lives in the context of one request and is never kept or shared:
// identity that outlives its request is how users get swapped.
type Actor struct {
	User   User  // ID 0: nobody signed in
	Grant  Grant // how far this actor reaches
	Token  Token // the token that was shown; ID 0: none of ours
	Client string
	// Operator is the person at the machine's own command line, who may do
	// everything to every repository.
	Operator bool
}

// Anonymous may read what is public.
func Anonymous() Actor {
	return Actor{Grant: Grant{Scopes: []Scope{Read(AreaRepo), Read(AreaIssue)}, AllRepos: true}}
}

// SignedIn is the user with everything the user may do, as after a password.
func SignedIn(u User) Actor { return Actor{User: u, Grant: Whole()} }

// Bearer is the user as far as the token reaches.
func Bearer(u User, t Token) Actor { return Actor{User: u, Grant: t.Grant, Token: t} }

// Operator acts as u, who may be nobody, with the machine's own rights.
func Operator(u User) Actor { return Actor{User: u, Grant: Whole(), Operator: true, Client: "sigit"} }

// Known says whether somebody is signed in.
func (a Actor) Known() bool { return a.User.ID != 0 }

// Via is what acts by this actor are recorded with.
func (a Actor) Via() Via {
	label := a.Token.Label
	if a.Token.Kind == SessionToken {
		label = ""
	}
	return Via{Token: label, Client: Short(Clean(a.Client), 100)}
}

type (
	actorKey   struct{}
	witnessKey struct{}
)

// WithActor returns a context that carries the actor of one request.
func WithActor(ctx context.Context, a Actor) context.Context {
	Note(ctx, a)
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns the actor of the request; without one it is Actor{}, who
// may do nothing.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// Witness returns a context under which Note remembers who acts, for the line
// in the log that is written above the door, and the function that tells.
func Witness(ctx context.Context) (context.Context, func() Actor) {
	seen := new(atomic.Pointer[Actor])
	return context.WithValue(ctx, witnessKey{}, seen), func() Actor {
		if a := seen.Load(); a != nil {
			return *a
		}
		return Actor{}
	}
}

// Note tells the witness of the context, if there is one, who acts.
func Note(ctx context.Context, a Actor) {
	if seen, ok := ctx.Value(witnessKey{}).(*atomic.Pointer[Actor]); ok {
		seen.Store(&a)
	}
}
