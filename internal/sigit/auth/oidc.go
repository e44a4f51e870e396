package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// OIDCOrigin is what accounts that mirror an OpenID Connect issuer's are
// marked with.
const OIDCOrigin = "oidc"

// OIDC knows the people of an OpenID Connect issuer: a token is good when it
// is a JWT that the issuer signed for this audience and that has not run out.
// Its account, found by the subject, is mirrored here when it is first seen.
// Tokens that this forge minted work beside.
//
// The issuer is asked for its keys when a token names one that is not known,
// at most every ten seconds. Signing in through a browser is not offered.
type OIDC struct {
	forge            *forge.Forge
	issuer, audience string
	client           *http.Client
	now              func() time.Time

	mu       sync.Mutex // guards what follows
	verifier *oidc.IDTokenVerifier
	retry    time.Time // when a failed discovery may be tried again
}

// asksEvery is how soon the issuer is asked the same again.
const asksEvery = 10 * time.Second

// signatures are those that may vouch for a token: no shared secrets, and
// never none.
var signatures = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// NewOIDC returns the identities of the issuer, for tokens made out to the
// audience. The issuer is asked when the first token comes. now is the clock,
// nil for the system's.
func NewOIDC(f *forge.Forge, issuer, audience string, now func() time.Time) (Identity, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Invalid, "the OpenID Connect issuer must be an http or https address")
	}
	if strings.TrimSpace(audience) == "" {
		return nil, fault.New(fault.Invalid, "the audience of the OpenID Connect tokens is missing: without one a token for any other service would do")
	}
	if now == nil {
		now = time.Now
	}
	return withOwn{f, &OIDC{
		forge: f, issuer: issuer, audience: audience, now: now,
		client: &http.Client{
			Timeout:       askTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}}, nil
}

// Authenticate finds or makes the mirror of the token's subject.
func (o *OIDC) Authenticate(ctx context.Context, token string) (sigit.Actor, error) {
	if strings.Count(token, ".") != 2 {
		return sigit.Actor{}, forge.BadToken()
	}
	verifier, err := o.ready(ctx)
	if err != nil {
		return sigit.Actor{}, noIssuer(err)
	}
	var silent error // the verifier says only that the signature is not good
	got, err := verifier.Verify(context.WithValue(ctx, silentKey{}, &silent), token)
	if silent != nil {
		return sigit.Actor{}, noIssuer(silent)
	}
	if err != nil {
		return sigit.Actor{}, forge.BadToken()
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"`
	}
	// An address that nobody checked could keep its owner out.
	if got.Claims(&claims) != nil || got.Subject == "" || !strings.Contains(claims.Email, "@") || claims.Verified == false || claims.Verified == "false" {
		return sigit.Actor{}, forge.BadToken()
	}
	u, err := o.forge.Mirror(ctx, OIDCOrigin, o.issuer+"#"+got.Subject, claims.Email)
	if err != nil {
		return sigit.Actor{}, err
	}
	if u.Disabled {
		return sigit.Actor{}, forge.BadToken()
	}
	return sigit.SignedIn(u), nil
}

// ready discovers the issuer once.
func (o *OIDC) ready(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.verifier != nil {
		return o.verifier, nil
	}
	if o.now().Before(o.retry) {
		return nil, errors.New("the issuer did not answer a moment ago")
	}
	o.retry = o.now().Add(asksEvery)
	ctx, cancel := context.WithTimeout(oidc.ClientContext(context.WithoutCancel(ctx), o.client), askTime)
	defer cancel()
	provider, err := oidc.NewProvider(ctx, o.issuer)
	if err != nil {
		return nil, err
	}
	var says struct {
		Keys       string   `json:"jwks_uri"`
		Signatures []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := provider.Claims(&says); err != nil {
		return nil, err
	}
	algorithms := slices.DeleteFunc(says.Signatures, func(a string) bool { return !slices.Contains(signatures, a) })
	if len(algorithms) == 0 {
		algorithms = []string{oidc.RS256}
	}
	keys := &keySet{url: says.Keys, client: o.client, now: o.now}
	for _, a := range algorithms {
		keys.algorithms = append(keys.algorithms, jose.SignatureAlgorithm(a))
	}
	o.verifier = oidc.NewVerifier(o.issuer, keys, &oidc.Config{ClientID: o.audience, SupportedSigningAlgs: algorithms, Now: o.now})
	return o.verifier, nil
}

// keySet is the public keys of an issuer. It may be used from many goroutines.
type keySet struct {
	url        string
	client     *http.Client
	now        func() time.Time
	algorithms []jose.SignatureAlgorithm

	mu    sync.Mutex // guards what follows
	keys  []jose.JSONWebKey
	asked time.Time // when the issuer was asked last, whatever it said
}

type silentKey struct{}

// VerifySignature returns what a key of the issuer signed. When the issuer
// does not say its keys, that goes to the error in the context.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSigned(token, k.algorithms)
	if err != nil || len(signed.Signatures) != 1 {
		return nil, errors.New("not one signature of a known kind")
	}
	id := signed.Signatures[0].Header.KeyID
	for fresh := false; ; fresh = true {
		keys, err := k.get(ctx, fresh)
		if err != nil {
			if silent, ok := ctx.Value(silentKey{}).(*error); ok {
				*silent = err
			}
			return nil, err
		}
		for _, key := range keys {
			if key.Use == "enc" || id != "" && key.KeyID != id {
				continue
			}
			if payload, err := signed.Verify(key); err == nil {
				return payload, nil
			}
		}
		if fresh {
			return nil, errors.New("no key of the issuer made the signature")
		}
	}
}

// get returns the keys; fresh ones, unless they were asked for just now.
func (k *keySet) get(ctx context.Context, fresh bool) ([]jose.JSONWebKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	just := k.now().Sub(k.asked) < asksEvery
	switch {
	case k.keys != nil && (!fresh || just):
		return k.keys, nil
	case just:
		return nil, errors.New("the issuer did not say its keys a moment ago")
	}
	k.asked = k.now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, errors.New("the issuer's address of keys is none")
	}
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, stripURL(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the issuer's keys: status %d", resp.StatusCode)
	}
	var got struct{ Keys []json.RawMessage }
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&got); err != nil {
		return nil, errors.New("the issuer's keys cannot be read")
	}
	k.keys = []jose.JSONWebKey{}
	for _, raw := range got.Keys {
		var key jose.JSONWebKey // of a kind that is not known: another one will do
		if json.Unmarshal(raw, &key) == nil && key.Valid() {
			k.keys = append(k.keys, key)
		}
	}
	return k.keys, nil
}

func noIssuer(err error) error {
	return fault.Coded(fault.Busy, "identity", "the identity provider gives no answer; try again in a moment").Because(fmt.Errorf("ask the OpenID Connect issuer: %w", err))
}
