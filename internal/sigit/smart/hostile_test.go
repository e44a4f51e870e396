package smart_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// pack writes packs that git itself would not.
type pack struct {
	body  bytes.Buffer
	count uint32
}

// The kinds of objects in a pack.
const (
	packCommit, packTree, packBlob = 1, 2, 3
	packOffset                     = 6 // a delta against an object so far back
)

var kindNames = map[int]string{packCommit: "commit", packTree: "tree", packBlob: "blob"}

// add puts an object in and returns where it stands and its id.
func (p *pack) add(kind int, data []byte) (at int64, id string) {
	at = p.put(kind, len(data), nil, data)
	return at, objectID(kindNames[kind], data)
}

func objectID(kind string, data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// delta puts in what git makes of the object at base.
func (p *pack) delta(base int64, data []byte) (at int64) {
	back := 12 + int64(p.body.Len()) - base
	offset := []byte{byte(back & 0x7f)}
	for back >>= 7; back > 0; back >>= 7 {
		back--
		offset = append([]byte{byte(back&0x7f) | 0x80}, offset...)
	}
	return p.put(packOffset, len(data), offset, data)
}

func (p *pack) put(kind, size int, more, data []byte) (at int64) {
	at = 12 + int64(p.body.Len())
	c := byte(kind<<4 | size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.body.WriteByte(c | 0x80)
		c = byte(size & 0x7f)
	}
	p.body.WriteByte(c)
	p.body.Write(more)
	z := zlib.NewWriter(&p.body)
	z.Write(data)
	z.Close()
	p.count++
	return at
}

func (p *pack) bytes() []byte {
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), p.count)
	out = append(out, p.body.Bytes()...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// commit puts a commit in with one file, which is there or in another pack.
func (p *pack) commit(t testing.TB, blob string) (id string) {
	t.Helper()
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	_, tree := p.add(packTree, append([]byte("100644 big\x00"), raw...))
	_, id = p.add(packCommit, fmt.Appendf(nil, "tree %s\nauthor A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n\nx\n", tree))
	return id
}

func varint(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// push sends a push by hand and returns the status and the answer.
func (c *town) push(who, repo, ref, old, id string, pack []byte) (int, string) {
	c.t.Helper()
	line := old + " " + id + " " + ref + "\x00report-status\n"
	body := append(fmt.Appendf(nil, "%04x%s0000", len(line)+4, line), pack...)
	r, err := http.NewRequest("POST", c.url+"/"+repo+".git/git-receive-pack", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.SetBasicAuth(who, who)
	r.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func (c *town) code(repo string) *git.Repo {
	c.t.Helper()
	name, err := sigit.ParseRepoName(repo)
	if err != nil {
		c.t.Fatal(err)
	}
	_, code, err := c.forge.Fetch(c.t.Context(), c.who["alice"], name)
	if err != nil {
		c.t.Fatal(err)
	}
	return code
}

func (c *town) sound(code *git.Repo) {
	c.t.Helper()
	if out, err := exec.Command("git", "--git-dir="+code.Dir(), "fsck", "--strict").CombinedOutput(); err != nil {
		c.t.Errorf("the repository is damaged: %v %s", err, out)
	}
}

// TestPackThatInflates pushes a kilobyte that stands for half a gigabyte,
// which git would hold in memory, twice.
func TestPackThatInflates(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	const piece, pieces = 1 << 20, 512
	base := bytes.Repeat([]byte("a"), piece)
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", piece*pieces)
	for range pieces {
		h.Write(base)
	}
	for _, extra := range []int{0, 200} { // git takes in small packs one way and larger ones another
		p := &pack{}
		at, _ := p.add(packBlob, base)
		delta := append(varint(piece), varint(piece*pieces)...)
		p.delta(at, append(delta, bytes.Repeat([]byte{0xc0, 0x10}, pieces)...)) // copy the base, again and again
		id := p.commit(t, hex.EncodeToString(h.Sum(nil)))
		for i := range extra {
			p.add(packBlob, fmt.Append(nil, i))
		}
		body := p.bytes()
		if len(body) > 20<<10 {
			t.Fatalf("the pack has %d bytes", len(body))
		}
		status, text := c.push("alice", "alice/notes", "refs/heads/main", git.Zero, id, body)
		if status == 200 && !strings.Contains(text, "ng refs/heads/main") || status >= 500 {
			t.Errorf("a pack that inflates gives %d %q", status, text)
		}
	}
	code := c.code("alice/notes")
	c.sound(code)
	if size, err := code.Size(); err != nil || size > 1<<20 {
		t.Errorf("%d bytes stay behind (%v)", size, err)
	}
	must(t, work(t), "push", c.as("alice", "alice/notes"), "main")
}

// TestDeepDeltaChain pushes a file behind thousands of deltas, deeper than git
// makes them, and reads it.
func TestDeepDeltaChain(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	const depth = 6000
	p := &pack{}
	data := []byte(strings.Repeat("a line that stays\n", 4))
	at, _ := p.add(packBlob, data)
	for i := range depth {
		line := fmt.Appendf(nil, "%06d\n", i)
		delta := append(varint(len(data)), varint(len(data)+len(line))...)
		delta = append(delta, 0x80|0x10|0x20, byte(len(data)), byte(len(data)>>8)) // copy all there is
		if len(data) > 0xffff {
			delta = append(delta[:len(delta)-3], 0x80|0x10|0x20|0x40, byte(len(data)), byte(len(data)>>8), byte(len(data)>>16))
		}
		delta = append(append(delta, byte(len(line))), line...)
		at = p.delta(at, delta)
		data = append(data, line...)
	}
	id := p.commit(t, objectID("blob", data))
	if status, text := c.push("alice", "alice/notes", "refs/heads/main", git.Zero, id, p.bytes()); status != 200 || !strings.Contains(text, "ok refs/heads/main") {
		t.Fatalf("a deep chain gives %d %q", status, text)
	}
	code := c.code("alice/notes")
	_, blob, err := code.File(t.Context(), id, "big", 1<<20)
	if err != nil || !bytes.Equal(blob.Data, data) {
		t.Errorf("read behind %d deltas: %d bytes, %v, want %d", depth, len(blob.Data), err, len(data))
	}
	if found, err := code.Grep(t.Context(), id, "005999", 5); err != nil || len(found) != 1 {
		t.Errorf("searched: %v, %v", found, err)
	}
	must(t, t.TempDir(), "clone", "-q", "--bare", c.as("", "alice/notes"), "copy.git")
}

// TestPacksThatLie sees that broken packs leave nothing behind.
func TestPacksThatLie(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	good := &pack{}
	_, blob := good.add(packBlob, []byte("x"))
	id := good.commit(t, blob)
	body := good.bytes()
	many := bytes.Clone(body)
	binary.BigEndian.PutUint32(many[8:], 0xffffffff)
	cycle := &pack{}
	cycle.put(7, 4, bytes.Repeat([]byte{1}, 20), []byte{1, 1, 1, 'x'}) // against an object that nobody has
	ahead := &pack{}
	ahead.put(packOffset, 4, []byte{0xff, 0xff, 0xff, 0x7f}, []byte{1, 1, 1, 'x'})
	flipped := bytes.Clone(body)
	flipped[len(flipped)-25] ^= 1
	for what, pack := range map[string][]byte{
		"nothing": nil, "half": body[:len(body)/2], "no sum": body[:len(body)-20], "a wrong bit": flipped,
		"a count of four thousand millions": many, "a delta without a base": cycle.bytes(), "a base before the start": ahead.bytes(),
		"another version": append([]byte("PACK\x00\x00\x00\x09"), body[8:]...), "noise": bytes.Repeat([]byte{0xff, 0}, 5000),
	} {
		if status, text := c.push("alice", "alice/notes", "refs/heads/main", git.Zero, id, pack); status >= 500 || strings.Contains(text, "\nok refs/heads/main") || strings.Contains(text, "ok refs/heads/main\n") {
			t.Errorf("a pack with %s gives %d %q", what, status, text)
		}
	}
	code := c.code("alice/notes")
	c.sound(code)
	if refs, err := code.Refs(t.Context(), "refs/", "", 0); err != nil || len(refs) != 0 {
		t.Errorf("refs after broken packs: %v, %v", refs, err)
	}
	if status, text := c.push("alice", "alice/notes", "refs/heads/main", git.Zero, id, body); status != 200 || !strings.Contains(text, "ok refs/heads/main") {
		t.Errorf("a good pack after broken ones gives %d %q", status, text)
	}
}

// TestRefNamesOfStrangers pushes to refs whose names mean something to
// programs.
func TestRefNamesOfStrangers(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	p := &pack{}
	_, blob := p.add(packBlob, []byte("x"))
	id := p.commit(t, blob)
	body := p.bytes()
	for _, ref := range []string{
		"", "-", "--upload-pack=touch x", "HEAD", "main", "refs", "refs/", "refs/heads/", "refs/heads/-x", "refs/heads/--output=x", "refs/heads/.x", "refs/heads/x.lock",
		"refs/heads/..", "refs/heads/../../x", "refs/heads/a..b", "refs/heads/a//b", "refs/heads/a b", "refs/heads/a\nb", "refs/heads/a\tb", "refs/heads/a\x7f", "refs/heads/@{0}",
		"refs/heads/a:b", "refs/heads/a?b", "refs/heads/a*", "refs/heads/a[b", `refs/heads/a\b`, "refs/heads/a^b", "refs/heads/a~1", "refs/heads/x.", "../../HEAD", "/refs/heads/x",
		"refs/heads/" + strings.Repeat("x", 300), "refs/heads/" + strings.Repeat("x/", 600) + "x", "refs/heads/" + strings.Repeat("y", 60_000),
		"refs/pull/1/head", "refs/heads/HEAD", "refs/tmp/x", "config", "objects/info/alternates",
	} {
		status, text := c.push("alice", "alice/notes", ref, git.Zero, id, body)
		if status >= 500 || strings.Contains(text, "\nok ") || strings.Contains(text, "000eunpack ok\n0000") || status == 200 && !strings.Contains(text, "ng ") {
			t.Errorf("a push to %.60q gives %d %.200q", ref, status, text)
		}
	}
	code := c.code("alice/notes")
	if refs, err := code.Refs(t.Context(), "refs/", "", 0); err != nil || len(refs) != 0 {
		t.Errorf("refs that should not be: %v, %v", refs, err)
	}
	c.sound(code)
	for _, ref := range []string{"refs/heads/größe", "refs/heads/a/b/c", "refs/heads/%2e%2e", "refs/heads/x;y", "refs/heads/$(x)", "refs/heads/'x'", "refs/heads/a@b", "refs/tags/v1"} {
		if status, text := c.push("alice", "alice/notes", ref, git.Zero, id, body); status != 200 || !strings.Contains(text, "ok "+ref) {
			t.Errorf("a push to %q gives %d %q", ref, status, text)
		}
	}
	must(t, t.TempDir(), "clone", "-q", "--bare", "-b", "größe", c.as("", "alice/notes"), "copy.git")
}
