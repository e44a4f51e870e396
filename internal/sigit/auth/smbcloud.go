package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// Origin is what accounts that mirror smbCloud's are marked with.
const Origin = "smbcloud"

// SmbCloud knows the accounts of an smbCloud server: a token is good when
// GET {base}/v1/me, with the token as its Authorization header, answers with
// an account. The account is mirrored here when it is first seen.
//
// An answer is believed for a minute, a refusal for ten seconds; at most 16
// questions are under way at once. Tokens that this forge minted work beside.
type SmbCloud struct {
	forge  *forge.Forge
	me     string
	client *http.Client
	now    func() time.Time
	slots  chan struct{}

	mu    sync.Mutex // guards known
	known map[[sha256.Size]byte]answer
}

// answer is what the server said of a token, nobody when ID is empty.
type answer struct {
	account account
	until   time.Time
}

type account struct {
	ID        json.Number `json:"id"`
	Email     string      `json:"email"`
	CreatedAt string      `json:"created_at"`
	UpdatedAt string      `json:"updated_at"`
}

const (
	believe    = time.Minute
	disbelieve = 10 * time.Second
	maxKnown   = 10_000
	askTime    = 5 * time.Second
)

// NewSmbCloud returns the identities of the server at base, which may carry
// query parameters that every question needs. now is the clock, nil for the
// system's.
func NewSmbCloud(f *forge.Forge, base string, now func() time.Time) (Identity, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "the address of the smbCloud server must be an http or https address")
	}
	if now == nil {
		now = time.Now
	}
	return withOwn{f, &SmbCloud{
		forge: f, me: u.JoinPath("v1", "me").String(), now: now,
		client: &http.Client{
			Timeout:       askTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		slots: make(chan struct{}, 16), known: map[[sha256.Size]byte]answer{},
	}}, nil
}

// Authenticate finds or makes the mirror of the token's account.
func (s *SmbCloud) Authenticate(ctx context.Context, token string) (sigit.Actor, error) {
	key := sha256.Sum256([]byte(token))
	got, ok := s.recall(key)
	if !ok {
		var err error
		if got, err = s.ask(ctx, token); err != nil {
			return sigit.Actor{}, err
		}
		s.remember(key, got)
	}
	if got.ID == "" {
		return sigit.Actor{}, forge.BadToken()
	}
	u, err := s.forge.Mirror(ctx, Origin, got.ID.String(), got.Email)
	if err != nil {
		return sigit.Actor{}, err
	}
	if u.Disabled {
		return sigit.Actor{}, forge.BadToken()
	}
	return sigit.SignedIn(u), nil
}

func (s *SmbCloud) recall(key [sha256.Size]byte) (account, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.known[key]
	return a.account, ok && s.now().Before(a.until)
}

func (s *SmbCloud) remember(key [sha256.Size]byte, a account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if len(s.known) >= maxKnown {
		for k, old := range s.known {
			if !now.Before(old.until) {
				delete(s.known, k)
			}
		}
	}
	if len(s.known) >= maxKnown { // still: start anew rather than grow
		clear(s.known)
	}
	until := now.Add(believe)
	if a.ID == "" {
		until = now.Add(disbelieve)
	}
	s.known[key] = answer{a, until}
}

// ask asks the server once. The zero account is nobody.
func (s *SmbCloud) ask(ctx context.Context, token string) (account, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return account{}, ctx.Err()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.me, nil)
	if err != nil {
		return account{}, fmt.Errorf("ask smbCloud: %w", err)
	}
	req.Header.Set("Authorization", token)
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return account{}, noAnswer(stripURL(err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusNotFound:
		return account{}, nil
	case resp.StatusCode != http.StatusOK:
		return account{}, noAnswer(fmt.Errorf("status %d", resp.StatusCode))
	}
	var a account
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&a); err != nil {
		return account{}, noAnswer(errors.New("its answer is no account"))
	}
	if a.ID == "" || !strings.Contains(a.Email, "@") {
		return account{}, noAnswer(errors.New("its answer lacks the id or the address"))
	}
	return a, nil
}

// stripURL keeps the address, which may carry secrets, out of the log.
func stripURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func noAnswer(err error) error {
	return fault.Coded(fault.Busy, "identity", "the identity provider gives no answer; try again in a moment").Because(fmt.Errorf("ask smbCloud: %w", err))
}
