package sigit

import (
	"crypto/sha256"
	"hash/crc32"
	"io"
	"math/big"
	"strings"
	"time"

	"skillforge/internal/fault"
)

// TokenKind says how a token came to be.
type TokenKind string

const (
	SessionToken TokenKind = "session" // by signing in: the person, with everything the person may do
	APIToken     TokenKind = "api"     // minted for a program, with a grant of its own
)

// Token is a bearer's secret as the forge remembers it: never the secret
// itself, only its SHA-256.
type Token struct {
	ID        int64
	UserID    int64
	ParentID  int64 // the API token that minted this one, 0 for none; revoked with it
	Kind      TokenKind
	Label     string
	Hint      string // the last characters of the secret, to tell tokens apart
	Grant     Grant
	CreatedAt time.Time
	ExpiresAt *time.Time // nil: never
	UsedAt    *time.Time // to the minute; nil: never
	RevokedAt *time.Time
}

// Live says whether the token still opens anything.
func (t Token) Live(now time.Time) bool { return t.RevokedAt == nil && !Expired(t.ExpiresAt, now) }

// NewToken is what it takes to mint a token.
type NewToken struct {
	Label     string
	Scopes    []Scope    // empty: DefaultScopes, as far as the minting token has them
	Repos     []RepoName // empty: every repository the minting token reaches
	Refs      []RefRule  // empty: every ref the minting token may push
	NoForce   bool
	ExpiresAt *time.Time // nil: never, or with the minting token
}

// Check says what is wrong with the request, as Invalid.
func (n NewToken) Check() error {
	if err := checkLine("label", n.Label, MaxLabel); err != nil {
		return err
	}
	if len(n.Repos) > 100 || len(n.Refs) > 100 {
		return fault.New(fault.Invalid, "a token names at most 100 repositories and 100 rules for refs")
	}
	for _, r := range n.Refs {
		if err := r.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Secret is the text of a token: "sgt_", 32 random bytes and a checksum, both
// in base 62. It prints as its prefix, so that it stays out of logs; Reveal
// gives the text.
type Secret struct{ text string }

const (
	secretPrefix = "sgt_"
	secretDigits = 43 // 32 bytes in base 62
	checkDigits  = 6  // 4 bytes in base 62
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret draws a secret from random.
func NewSecret(random io.Reader) (Secret, error) {
	var raw [32]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return Secret{}, err
	}
	body := secretPrefix + base62(new(big.Int).SetBytes(raw[:]), secretDigits)
	return Secret{body + checksum(body)}, nil
}

// ParseSecret reads a token's text. It is false for anything that was never a
// token of a forge: typing errors are found without asking the database.
func ParseSecret(text string) (Secret, bool) {
	if len(text) != len(secretPrefix)+secretDigits+checkDigits || !strings.HasPrefix(text, secretPrefix) {
		return Secret{}, false
	}
	body, sum := text[:len(text)-checkDigits], text[len(text)-checkDigits:]
	return Secret{text}, checksum(body) == sum
}

// LooksLikeSecret says whether the text claims to be a token of a forge.
func LooksLikeSecret(text string) bool { return strings.HasPrefix(text, secretPrefix) }

// Hash is what the store keeps and looks up.
func (s Secret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(s.text)) }

// Hint is the end of the secret, enough to tell tokens apart.
func (s Secret) Hint() string { return s.text[len(s.text)-4:] }

// Reveal is the text itself, for the one answer that shows it.
func (s Secret) Reveal() string { return s.text }

func (s Secret) String() string   { return secretPrefix + "…" }
func (s Secret) GoString() string { return s.String() }

func checksum(body string) string {
	return base62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), checkDigits)
}

func base62(n *big.Int, width int) string {
	out := make([]byte, width)
	base, digit := big.NewInt(62), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = digits[digit.Int64()]
	}
	return string(out)
}
