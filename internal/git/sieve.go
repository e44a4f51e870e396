package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sieves say which files of a large repository may hold a text, so that git
// grep need not unpack them all: nearly all its time goes there. They only
// narrow; what a file holds, git says.
//
// A repository gets one when a search in it was slow. For each of its files,
// by object id, it keeps the runs of three letters in it, folded and a little
// blurred (a Bloom filter). Files that are not in it are always searched.
type sieves struct {
	max   int           // bytes of all
	after time.Duration // what a slow search takes

	mu    sync.Mutex // guards what follows
	byDir map[string]*sieve
	taken int
	turn  int64 // counts uses, to know the one used longest ago
}

// sieve is that of one repository.
type sieve struct {
	blobs   map[string]bloom
	bytes   int
	used    int64
	filling bool

	// The files of the commit that was asked about last: to list them takes
	// longer than to look through the blooms.
	commit string
	files  []treeFile
}

// bloom is the runs of letters in one file: four bits for each, two of them
// set, so that one run in seven seems to be there and is not. An empty one
// holds everything.
type bloom []uint64

const (
	sieveSize   = 128 << 20
	slowSearch  = 250 * time.Millisecond
	maxSieved   = 4 << 20 // bytes of a file
	maxRuns     = 1 << 17 // of one file, as far as can be told
	maxPicked   = 1000    // files that are named to git grep
	maxPickedAt = 256 << 10
	fillTime    = 5 * time.Minute
)

func newSieves(size int, after time.Duration) *sieves {
	if after <= 0 {
		after = slowSearch
	}
	return &sieves{max: or(size, sieveSize), after: after, byDir: map[string]*sieve{}}
}

// treeFile is a file of a commit.
type treeFile struct {
	path, oid string
	size      int64
}

// files lists the regular files of a commit.
func (r *Repo) files(ctx context.Context, commit string) ([]treeFile, error) {
	out, err := r.run(ctx, nil, maxListing, "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of a commit: %w", err)
	}
	var list []treeFile
	for record := range bytes.SplitSeq(out, []byte{0}) {
		head, path, ok := strings.Cut(string(record), "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 || !strings.HasPrefix(words[0], "100") {
			continue
		}
		size, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil {
			size = maxSieved + 1
		}
		list = append(list, treeFile{path, words[2], size})
	}
	return list, nil
}

// pick names the files of a commit that may hold the query, as pathspecs. ok
// is false where all of them have to be searched.
func (s *sieves) pick(ctx context.Context, r *Repo, commit, query string) (specs []string, ok bool, err error) {
	runs := runsOf(query)
	if len(runs) == 0 || !s.has(r.dir) {
		return nil, false, nil
	}
	files, ok := s.listed(r.dir, commit)
	if !ok {
		if files, err = r.files(ctx, commit); err != nil {
			return nil, false, err
		}
	}
	length, strange := 0, 0
	s.mu.Lock()
	v := s.byDir[r.dir]
	if v == nil {
		s.mu.Unlock()
		return nil, false, nil
	}
	s.turn++
	v.used, v.commit, v.files = s.turn, commit, files
	for _, f := range files {
		b, known := v.blobs[f.oid]
		if !known && f.size <= maxSieved {
			strange++
		}
		if known && !b.hasAll(runs) {
			continue
		}
		if length += len(f.path) + 20; len(specs) <= maxPicked && length <= maxPickedAt {
			specs = append(specs, ":(literal,top)"+f.path)
		}
	}
	s.mu.Unlock()
	if strange > maxPicked/4 {
		s.fill(r, commit)
	}
	if len(specs) > maxPicked || length > maxPickedAt {
		return nil, false, nil
	}
	return specs, true, nil
}

// listed are the files of a commit, if they were listed last.
func (s *sieves) listed(dir, commit string) ([]treeFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.byDir[dir]; v != nil && v.commit == commit {
		return v.files, true
	}
	return nil, false
}

func (s *sieves) has(dir string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byDir[dir] != nil
}

// fill reads the files of a commit into the repository's sieve, beside
// everything else.
func (s *sieves) fill(r *Repo, commit string) {
	s.mu.Lock()
	v := s.byDir[r.dir]
	if v == nil {
		v = &sieve{blobs: map[string]bloom{}}
		s.byDir[r.dir] = v
	}
	s.turn++
	v.used = s.turn
	started := v.filling
	v.filling = true
	s.mu.Unlock()
	if started {
		return
	}
	done := func() {
		s.mu.Lock()
		v.filling = false
		s.mu.Unlock()
	}
	if !r.git.searches.beside(fillTime, func(ctx context.Context) {
		defer done()
		if err := s.read(ctx, r, v, commit); err != nil && ctx.Err() == nil {
			s.forget(r.dir) // the next slow search tries again
		}
	}) {
		done()
	}
}

// read adds to v what the commit's files hold, those that it lacks.
func (s *sieves) read(ctx context.Context, r *Repo, v *sieve, commit string) error {
	release, err := r.git.takeSlow(ctx)
	if err != nil {
		return err
	}
	defer release()
	files, err := r.files(ctx, commit)
	if err != nil {
		return err
	}
	var ids strings.Builder
	s.mu.Lock()
	for _, f := range files {
		if _, known := v.blobs[f.oid]; !known && f.size <= maxSieved {
			ids.WriteString(f.oid + "\n")
		}
	}
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := r.git.command(ctx, r.dir, "cat-file", "--batch", "--buffer")
	cmd.Stdin = strings.NewReader(ids.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = s.readAll(bufio.NewReaderSize(out, 256<<10), r.dir, v)
	cancel()
	_ = cmd.Wait() // killed, or done
	return err
}

// readAll reads what `cat-file --batch` says.
func (s *sieves) readAll(in *bufio.Reader, dir string, v *sieve) error {
	var press press
	var data []byte
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return nil
		}
		if err != nil {
			return err
		}
		words := strings.Fields(line)
		if len(words) != 3 {
			continue // missing
		}
		size, err := strconv.Atoi(words[2])
		if err != nil || size > maxSieved {
			return fmt.Errorf("git: an object of %s bytes where a file was expected", words[2])
		}
		if cap(data) < size {
			data = make([]byte, size)
		}
		data = data[:size]
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		if _, err := in.Discard(1); err != nil {
			return err
		}
		if !s.put(dir, v, words[0], press.bloom(data)) {
			return nil
		}
	}
}

// put adds a file. It is false when there is no more room: the other files
// will always be searched.
func (s *sieves) put(dir string, v *sieve, oid string, b bloom) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byDir[dir] != v { // forgotten meanwhile
		return false
	}
	if _, known := v.blobs[oid]; known {
		return true
	}
	size := 8*len(b) + len(oid) + 64
	if v.bytes+size > s.max {
		return false
	}
	for s.taken+size > s.max {
		oldest := ""
		for d, o := range s.byDir {
			if o != v && (oldest == "" || o.used < s.byDir[oldest].used) {
				oldest = d
			}
		}
		if oldest == "" {
			return false
		}
		s.drop(oldest)
	}
	v.blobs[oid] = b
	v.bytes += size
	s.taken += size
	return true
}

func (s *sieves) drop(dir string) {
	if v := s.byDir[dir]; v != nil {
		s.taken -= v.bytes
		delete(s.byDir, dir)
	}
}

// forget drops the sieve of a repository that is gone.
func (s *sieves) forget(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(dir)
}

// runsOf are the runs of three letters of ASCII in a query, folded. Others are
// left out: what their case is, is git's business.
func runsOf(query string) []uint32 {
	var runs []uint32
	q := []byte(query)
	for i := 0; i+3 <= len(q); i++ {
		if q[i]|q[i+1]|q[i+2] < 0x80 {
			runs = append(runs, run(lower(q[i]), lower(q[i+1]), lower(q[i+2])))
		}
	}
	return runs
}

func run(a, b, c byte) uint32 { return uint32(a)<<16 | uint32(b)<<8 | uint32(c) }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// places are the bits of a run among so many, fewer than 2^32.
func places(run uint32, bits uint64) (uint64, uint64) {
	i, j := uint64(run)*0x9E3779B97F4A7C15>>32, uint64(run)*0xC2B2AE3D27D4EB4F>>32
	return i & (1<<32 - 1) * bits >> 32, j & (1<<32 - 1) * bits >> 32
}

func (b bloom) hasAll(runs []uint32) bool {
	if len(b) == 0 {
		return true
	}
	bits := uint64(len(b)) * 64
	for _, r := range runs {
		i, j := places(r, bits)
		if b[i/64]>>(i%64)&1 == 0 || b[j/64]>>(j%64)&1 == 0 {
			return false
		}
	}
	return true
}

// press makes blooms; it is reused for its memory.
type press struct {
	seen   [1 << 16 / 64]uint64
	folded []byte
}

// bloom is that of a file's bytes.
func (p *press) bloom(data []byte) bloom {
	p.folded = fold(p.folded[:0], data)
	n := p.distinct()
	if n > maxRuns {
		return nil // too many to tell anything
	}
	made := make(bloom, 1+4*n/64)
	bits := 64 * uint64(len(made))
	p.each(func(r uint32) {
		i, j := places(r, bits)
		made[i/64] |= 1 << (i % 64)
		made[j/64] |= 1 << (j % 64)
	})
	return made
}

func (p *press) each(f func(run uint32)) {
	if len(p.folded) < 3 {
		return
	}
	r := uint32(p.folded[0])<<8 | uint32(p.folded[1])
	for _, c := range p.folded[2:] {
		r = (r<<8 | uint32(c)) & (1<<24 - 1)
		f(r)
	}
}

// distinct is about how many different runs there are: those that fall on
// different places of a small table, and as many as must have fallen together.
func (p *press) distinct() int {
	clear(p.seen[:])
	set := 0
	p.each(func(r uint32) {
		at := r * 0x9E3779B1 >> 16
		if p.seen[at/64]>>(at%64)&1 == 0 {
			p.seen[at/64] |= 1 << (at % 64)
			set++
		}
	})
	const all = 1 << 16
	if set >= all-1 {
		return all * 16
	}
	return int(-all * math.Log(1-float64(set)/all))
}

// alike are letters beyond ASCII that git takes for one of ASCII when case does
// not count: the long s, the Kelvin sign, and (where git was built without
// PCRE) both odd letters i.
var alike = []struct {
	text string
	as   byte
}{{"\u017F", 's'}, {"\u212A", 'k'}, {"\u0130", 'i'}, {"\u0131", 'i'}}

// fold appends data to out with letters of ASCII made small.
func fold(out, data []byte) []byte {
next:
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c == 0xC5 || c == 0xC4 || c == 0xE2 {
			for _, a := range alike {
				if len(data)-i >= len(a.text) && string(data[i:i+len(a.text)]) == a.text {
					out = append(out, a.as)
					i += len(a.text) - 1
					continue next
				}
			}
		}
		out = append(out, lower(c))
	}
	return out
}
