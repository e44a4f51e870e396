package scan

import (
	"io/fs"
	"time"

	"skillforge/internal/skillmap"
)

// Root is a tree to scan.
type Root struct {
	// Name is what the caller calls it, "." for the project itself. It goes
	// into the result as it is.
	Name string
	// Dir is the absolute path of a root on disk. Only such a root follows
	// symbolic links. It is empty for a tree that is not on disk.
	Dir string
	// FS is the tree of a root that is not on disk. When Dir is set it is not
	// used and may be nil.
	//
	// Files whose FileInfo.Sys has a ContentID() string method, such as blobs
	// of a commit, are compared by that id between scans instead of by times.
	FS fs.FS
}

// Options say how to scan. The zero value scans with the fallback lens,
// without tokens, under the contract's ceilings.
type Options struct {
	Lens      string // id of the active provider; empty means "agent-skills"
	Strict    bool   // findings about heads are errors, not warnings
	Tokenize  bool
	Tokenizer string // "cl100k_base" when empty

	MaxScan      int   // nodes taken in; skillmap.DefaultMaxScan when 0
	MaxFileBytes int64 // skillmap.DefaultMaxFile when 0

	FollowExternalSymlinks bool // also to where no root is

	// Ignore says what the walk leaves out. Nothing when it is nil.
	Ignore Rules
	// Inputs tells these options apart from others in what their other fields
	// cannot: the rules behind Ignore, and whatever else the caller's result
	// depends on. RunChanged and Unchanged trust nothing made with other ones.
	Inputs string

	// Project is where the lens keeps its MCP servers and where relative
	// reference paths start; the first root when it is zero.
	Project Root
	// ReferencePaths are folders outside the roots whose files may be linked
	// to. Home stands for a leading "~".
	ReferencePaths []string
	Home           string

	IgnoredDomains []string // hosts whose URLs are not counted

	// Off lists extractors and providers that do not take part, by qualified
	// id such as "core/markdown-link", or "*/providers" and "*/extractors"
	// for all of them.
	Off []string

	// Now is when the scan begins. A file written within two seconds before
	// it is compared by content next time. Zero distrusts every time.
	Now time.Time

	// Build names the program; what another build made of a file is not used.
	Build string

	Workers int // files read at once; the number of cores when 0

	// Progress is called for each node in order, from one goroutine.
	Progress func(Progress)
}

// Rules are ignore rules, such as an ignore.Matcher. Paths are root-relative.
type Rules interface {
	Match(path string) bool    // a file is left out
	MatchDir(path string) bool // a folder is, with all that is in it
}

// nothing ignores nothing.
type nothing struct{}

func (nothing) Match(string) bool    { return false }
func (nothing) MatchDir(string) bool { return false }

// Progress tells of one node taken in.
type Progress struct {
	Index  int // from 1
	Total  int // files to take in, an upper bound
	Path   string
	Kind   string
	Cached bool // known from the last scan, not read
}

// Warning is something a user may want to know that concerns no node, such as
// a link that leads back to a folder above it.
type Warning struct {
	Code string // kebab-case
	Path string // may be empty
	Text string // one sentence
}

func (o *Options) maxScan() int {
	if o.MaxScan > 0 {
		return o.MaxScan
	}
	return skillmap.DefaultMaxScan
}

func (o *Options) maxFile() int64 {
	if o.MaxFileBytes > 0 {
		return o.MaxFileBytes
	}
	return skillmap.DefaultMaxFile
}
