package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"skillforge/internal/fault"
)

// Namespaces of the grants.
const (
	localKeys    = "local-config"
	pluginTrusts = "plugin-trust"
)

// lockText is the file of grants.
type lockText struct {
	V          int                         `json:"v"`
	Namespaces map[string]map[string]grant `json:"namespaces"`
}

// grant says that somebody at this machine meant one value of one key. It is
// a hash that binds both to this very folder, so it means nothing in a copy.
type grant struct {
	Grant     string `json:"grant"`
	GrantedAt int64  `json:"grantedAt"` // unix milliseconds
}

// Grant records that this copy means the value of a local-only key.
func (p Project) Grant(key string, value any) error {
	text, err := jsonText(value)
	if err != nil {
		return err
	}
	return p.record(localKeys, key, text)
}

// granted reports whether this copy granted the key that value.
func (p Project) granted(key string, value any) bool {
	text, err := jsonText(value)
	return err == nil && p.holds(localKeys, key, text)
}

// TrustPlugin records that this copy trusts a drop-in plugin.
func (p Project) TrustPlugin(id string) error { return p.record(pluginTrusts, id, "true") }

// DistrustPlugin takes the trust back. It reports whether there was any.
func (p Project) DistrustPlugin(id string) (bool, error) {
	was := p.Trusts(id)
	return was, p.forget(pluginTrusts, func(subject string) bool { return subject == id })
}

// Trusts reports whether this copy trusts a drop-in plugin.
func (p Project) Trusts(id string) bool { return p.holds(pluginTrusts, id, "true") }

// revoke drops the grants of a key, or of every key of a group.
func (p Project) revoke(name string) error {
	return p.forget(localKeys, func(key string) bool { return key == name || strings.HasPrefix(key, name+".") })
}

func (p Project) holds(namespace, subject, value string) bool {
	g, ok := p.readLock().Namespaces[namespace][subject]
	if !ok {
		return false
	}
	want, err := p.seal(namespace, subject, value)
	return err == nil && g.Grant == want
}

func (p Project) record(namespace, subject, value string) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	seal, err := p.seal(namespace, subject, value)
	if err != nil {
		return fault.Coded(fault.Invalid, "no-anchor", "%s cannot be granted here: this file system does not say when a folder was made, so a grant could not be bound to this copy.", subject).Because(err)
	}
	l := p.readLock()
	if l.Namespaces[namespace] == nil {
		l.Namespaces[namespace] = map[string]grant{}
	}
	if l.Namespaces[namespace][subject].Grant == seal {
		return nil
	}
	l.Namespaces[namespace][subject] = grant{Grant: seal, GrantedAt: time.Now().UnixMilli()}
	return p.writeLock(l)
}

func (p Project) forget(namespace string, which func(string) bool) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	l := p.readLock()
	before := len(l.Namespaces[namespace])
	for subject := range l.Namespaces[namespace] {
		if which(subject) {
			delete(l.Namespaces[namespace], subject)
		}
	}
	if len(l.Namespaces[namespace]) == before {
		return nil
	}
	return p.writeLock(l)
}

// readLock reads the grants; a file that is absent or broken grants nothing.
func (p Project) readLock() lockText {
	l := lockText{}
	if text, err := os.ReadFile(p.Inside(LockFile)); err == nil {
		if json.Unmarshal(text, &l) != nil || l.V != 1 {
			l = lockText{}
		}
	}
	l.V = 1
	if l.Namespaces == nil {
		l.Namespaces = map[string]map[string]grant{}
	}
	return l
}

func (p Project) writeLock(l lockText) error {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(p.Inside(LockFile), append(text, '\n'), 0o600); err != nil {
		return cannotWrite(err)
	}
	_, err = p.TopUpGitignore()
	return err
}

// seal hashes what a grant binds.
func (p Project) seal(namespace, subject, value string) (string, error) {
	inode, born, err := anchor(p.Inside(""))
	if err != nil {
		return "", err
	}
	return Seal(inode, born, namespace, subject, value), nil
}

// Seal is the hash of a grant: the parts, each with its length before it.
// value is JSON.
func Seal(inode uint64, bornNs int64, namespace, subject, value string) string {
	h := sha256.New()
	for _, part := range []string{"skill-map/scope-grant/v1", namespace, strconv.FormatUint(inode, 10), strconv.FormatInt(bornNs, 10), subject, value} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func jsonText(v any) (string, error) {
	var b bytes.Buffer
	err := appendJSON(&b, ordered(v))
	return b.String(), err
}

// CanGrant reports whether grants can be bound to this copy of the project.
func (p Project) CanGrant() bool {
	_, _, err := anchor(p.Inside(""))
	return err == nil
}
