package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/auth"
)

// issuer is an OpenID Connect issuer that signs what it is told to.
type issuer struct {
	*httptest.Server
	t      *testing.T
	key    atomic.Pointer[ecdsa.PrivateKey]
	kid    atomic.Int32
	asked  atomic.Int32 // for keys
	broken atomic.Bool
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t}
	i.turn()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		if i.broken.Load() {
			http.Error(w, "secret trouble", http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"authorization_endpoint":"https://x","token_endpoint":"https://x","id_token_signing_alg_values_supported":["none","HS256","ES256"]}`, i.URL, i.URL+"/keys")
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		i.asked.Add(1)
		if i.broken.Load() {
			http.Error(w, "secret trouble", http.StatusInternalServerError)
			return
		}
		key := jose.JSONWebKey{Key: i.key.Load().Public(), KeyID: fmt.Sprint(i.kid.Load()), Use: "sig", Algorithm: "ES256"}
		text, _ := json.Marshal(key)
		fmt.Fprintf(w, `{"keys":[{"kty":"strange"},%s]}`, text)
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// turn gives the issuer a new key.
func (i *issuer) turn() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.key.Store(key)
	i.kid.Add(1)
}

// sign makes a token of what carol's says, with changes; nil takes a claim out.
func (i *issuer) sign(changes map[string]any) string {
	i.t.Helper()
	claims := map[string]any{"iss": i.URL, "aud": []string{"other", "sigit"}, "sub": "42", "email": "carol@idp.test", "email_verified": true, "iat": 1000, "exp": 2000}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	text, _ := json.Marshal(claims)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key.Load(), KeyID: fmt.Sprint(i.kid.Load())}}, nil)
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		i.t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return token
}

func TestOIDC(t *testing.T) {
	f, i := newForge(t), newIssuer(t)
	var now atomic.Int64
	now.Store(1500)
	id, err := auth.NewOIDC(f, i.URL, "sigit", func() time.Time { return time.Unix(now.Load(), 0) })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(token string) (sigit.Actor, error) { return id.Authenticate(ctx, token) }
	by, err := ask(i.sign(nil))
	if err != nil || by.User.Name != "carol" || by.User.Email != "carol@idp.test" || by.User.Origin != "oidc" || by.User.OriginID != i.URL+"#42" || !by.Grant.Has(sigit.Write(sigit.AreaRepo)) {
		t.Fatalf("carol is %+v, %v", by, err)
	}
	if again, err := ask(i.sign(map[string]any{"email": "carol@new.test"})); err != nil || again.User.ID != by.User.ID || again.User.Email != "carol@new.test" {
		t.Errorf("carol with another address is %+v, %v", again, err)
	}
	if other, err := ask(i.sign(map[string]any{"sub": "43", "email": "carol@other.test"})); err != nil || other.User.ID == by.User.ID {
		t.Errorf("another carol is %+v, %v", other, err)
	}
	if n := i.asked.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}

	good := i.sign(nil)
	head, rest, _ := strings.Cut(good, ".")
	body, _, _ := strings.Cut(rest, ".")
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for what, token := range map[string]string{
		"another audience": i.sign(map[string]any{"aud": "other"}), "no audience": i.sign(map[string]any{"aud": nil}),
		"another issuer": i.sign(map[string]any{"iss": "https://evil.test"}), "no subject": i.sign(map[string]any{"sub": nil}),
		"run out": i.sign(map[string]any{"exp": 1499}), "no end": i.sign(map[string]any{"exp": nil}), "not yet": i.sign(map[string]any{"nbf": 9000}),
		"an address that nobody checked": i.sign(map[string]any{"email_verified": false}), "one in words": i.sign(map[string]any{"email_verified": "false"}),
		"no address": i.sign(map[string]any{"email": nil}), "no signature": encode(`{"alg":"none"}`) + "." + body + ".",
		"a shared secret": encode(`{"alg":"HS256"}`) + "." + body + "." + encode("x"), "another's signature": head + "." + encode(`{"sub":"1"}`) + "." + encode("x"),
		"noise": "a.b.c", "dots": "..", "one word": "nonsense",
	} {
		if _, err := ask(token); fault.Code(err) != "bad-token" {
			t.Errorf("a token with %s gives %v", what, err)
		}
	}

	// A key that is not known is asked for, and not for each token that names it.
	i.asked.Store(0)
	i.turn()
	if _, err := ask(i.sign(nil)); fault.Code(err) != "bad-token" {
		t.Errorf("a new key a moment after the old one gives %v", err)
	}
	now.Add(11)
	if _, err := ask(i.sign(nil)); err != nil {
		t.Errorf("a new key gives %v", err)
	}
	for range 5 {
		if _, err := ask(good); fault.Code(err) != "bad-token" {
			t.Errorf("a token of the old key gives %v", err)
		}
	}
	if n := i.asked.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}

	// An issuer that fails is not a token that is bad, unless the key is known.
	i.broken.Store(true)
	now.Add(11)
	if _, err := ask(i.sign(nil)); err != nil {
		t.Errorf("a known key while the issuer fails gives %v", err)
	}
	i.turn()
	if _, err := ask(i.sign(nil)); fault.Of(err) != fault.Busy || strings.Contains(err.Error(), "secret") {
		t.Errorf("an issuer that fails gives %v", err)
	}
	i.broken.Store(false)
	now.Add(11)
	if _, err := ask(i.sign(nil)); err != nil {
		t.Errorf("afterwards: %v", err)
	}

	yes := true
	if _, err := f.SetUser(ctx, sigit.Operator(sigit.User{}), "carol", nil, &yes); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(i.sign(nil)); fault.Code(err) != "bad-token" {
		t.Errorf("a disabled mirror gives %v", err)
	}
	if by, err := ask(mint(t, f, user(t, f, "alice"), sigit.NewToken{})); err != nil || by.User.Name != "alice" {
		t.Errorf("the forge's own token gives %+v, %v", by, err)
	}
	if _, err := ask(i.sign(map[string]any{"sub": "99", "email": "alice@example.org"})); fault.Of(err) != fault.Conflict {
		t.Errorf("the address of another account gives %v", err)
	}
}

func TestOIDCIssuerIsFound(t *testing.T) {
	f, i := newForge(t), newIssuer(t)
	var now atomic.Int64
	now.Store(1500)
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	id, err := auth.NewOIDC(f, i.URL, "sigit", clock)
	if err != nil {
		t.Fatal(err)
	}
	i.broken.Store(true)
	token := i.sign(nil)
	for range 2 {
		if _, err := id.Authenticate(ctx, token); fault.Of(err) != fault.Busy {
			t.Errorf("an issuer that fails gives %v", err)
		}
	}
	i.broken.Store(false)
	if _, err := id.Authenticate(ctx, token); fault.Of(err) != fault.Busy {
		t.Errorf("it is asked again at once: %v", err)
	}
	now.Add(11)
	if _, err := id.Authenticate(ctx, token); err != nil {
		t.Error(err)
	}
	// One that says it is another is believed nothing.
	other, err := auth.NewOIDC(f, i.URL+"/", "sigit", clock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Authenticate(ctx, token); fault.Of(err) != fault.Busy {
		t.Errorf("an issuer of another name gives %v", err)
	}
	for _, bad := range [][2]string{{"", "sigit"}, {"ftp://x", "sigit"}, {"https://u:p@x", "sigit"}, {i.URL, ""}, {i.URL, " "}} {
		if _, err := auth.NewOIDC(f, bad[0], bad[1], nil); fault.Of(err) != fault.Invalid {
			t.Errorf("NewOIDC(%q, %q) gives %v", bad[0], bad[1], err)
		}
	}
}
