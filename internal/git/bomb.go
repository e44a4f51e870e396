package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// A pack of a kilobyte can hold a delta that stands for gigabytes, and git
// holds an object that comes as a delta, or a file that it searches, in memory
// as a whole. GIT_ALLOC_LIMIT makes git give up before it asks for so much.
// Files that come as they are stream past it, however large.
const maxObject = 256 << 20

// largeFile is from where git neither shows nor packs the difference between
// two versions of a file, which spares it holding both.
const largeFile = 32 << 20

// loads names the subcommands that hold files of a stranger in memory. Those
// that need memory for each object of a repository, as gc does, are not among
// them: they deal only with what was let in.
var loads = map[string]bool{"grep": true, "blame": true, "diff": true, "diff-tree": true, "merge-tree": true, "log": true}

func allocLimit(bytes int64) string { return "GIT_ALLOC_LIMIT=" + strconv.FormatInt(bytes, 10) }

// overLimit says whether git ended because of its limit.
func overLimit(stderr string) bool {
	return strings.Contains(stderr, "attempting to allocate") && strings.Contains(stderr, "over limit")
}

// PackedObjects is the number of objects that a pack announces, 0 where none
// follows. It leaves the reader where it is, and needs room for 12 bytes in it.
func PackedObjects(in *bufio.Reader) uint32 {
	head, err := in.Peek(12)
	if err != nil || string(head[:4]) != "PACK" {
		return 0
	}
	return binary.BigEndian.Uint32(head[8:])
}

// pushLimit is what git may ask for at once while it takes a pack in: one
// object, or its list of all objects. Whoever announces many must send many
// before the list is of use.
func pushLimit(objects uint32) int64 { return maxObject + 128*int64(objects) }

// withoutLarge says with pathspecs which files of a commit are searched when
// one of them is too large: all but the large ones.
func (r *Repo) withoutLarge(ctx context.Context, commit string) ([]string, error) {
	out, err := r.run(ctx, nil, maxListing, "ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", commit)
	if err != nil {
		return nil, fmt.Errorf("look for large files: %w", err)
	}
	specs := []string{"."}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		head, path, ok := strings.Cut(string(record), "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 {
			continue
		}
		if size, err := strconv.ParseInt(words[3], 10, 64); err == nil && size > largeFile {
			specs = append(specs, ":(exclude,literal,top)"+path)
		}
	}
	return specs, nil
}
