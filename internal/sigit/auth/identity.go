package auth

import (
	"context"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// Identity knows whom a token stands for. Its fault is Denied with the code
// "bad-token" for nobody, Busy when it cannot tell now.
type Identity interface {
	Authenticate(ctx context.Context, token string) (sigit.Actor, error)
}

// Local knows the forge's own accounts and tokens.
func Local(f *forge.Forge) Identity { return f }

// withOwn asks the forge about its own tokens and another about the rest.
type withOwn struct {
	own   *forge.Forge
	other Identity
}

func (w withOwn) Authenticate(ctx context.Context, token string) (sigit.Actor, error) {
	if sigit.LooksLikeSecret(token) {
		return w.own.Authenticate(ctx, token)
	}
	return w.other.Authenticate(ctx, token)
}
