package forge

import (
	"context"
	"fmt"
	"sync"

	"github.com/alexedwards/argon2id"
)

// Hashing says what it costs to check a password with argon2id.
type Hashing struct {
	Memory     uint32 // KiB
	Iterations uint32
	Threads    uint8
	AtOnce     int // passwords checked at the same time; others wait
}

// defaultHashing takes about 20 MiB and some tens of milliseconds on one core.
var defaultHashing = Hashing{Memory: 19 << 10, Iterations: 2, Threads: 1, AtOnce: 4}

// hasher makes and checks hashes of passwords, a few at once: each takes
// memory, and strangers decide how many they ask for.
type hasher struct {
	params argon2id.Params
	slots  chan struct{}
	decoy  func() string
}

func newHasher(h Hashing) *hasher {
	if h == (Hashing{}) {
		h = defaultHashing
	}
	params := argon2id.Params{Memory: h.Memory, Iterations: h.Iterations, Parallelism: max(h.Threads, 1), SaltLength: 16, KeyLength: 32}
	return &hasher{
		params: params,
		slots:  make(chan struct{}, max(h.AtOnce, 1)),
		// What is checked where there is no hash, so that unknown users take
		// the same time as a wrong password.
		decoy: sync.OnceValue(func() string {
			hash, err := argon2id.CreateHash("nobody's password", &params)
			if err != nil {
				panic(fmt.Sprintf("argon2id: %v", err)) // the system has no randomness
			}
			return hash
		}),
	}
}

func (h *hasher) take(ctx context.Context) (func(), error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash makes the hash that is stored.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	release, err := h.take(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	hash, err := argon2id.CreateHash(password, &h.params)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// matches says whether the password is the hash's. For an empty hash it does
// the same work and says no.
func (h *hasher) matches(ctx context.Context, password, hash string) (bool, error) {
	release, err := h.take(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	known := hash != ""
	if !known {
		hash = h.decoy()
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return ok && known, nil
}
