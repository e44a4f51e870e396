package forge

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// manifest is the first file of a backup.
type manifest struct {
	Format   int              `json:"format"`
	Schema   int              `json:"schema"` // number of the newest migration
	Made     time.Time        `json:"made"`
	Engine   string           `json:"engine"`
	Counters map[string]int64 `json:"counters"`
}

const (
	backupFormat = 1
	manifestName = "sigit.json"
	tablePrefix  = "tables/"
	repoPrefix   = "repositories/"
)

// Backup writes everything as one tar file: the tables as they are at one
// moment, a JSON array a line, then each repository as a bundle, a little
// later. Pull requests whose branches moved in between follow them when they
// are next looked at. The forge goes on meanwhile. Only the operator may.
func (f *Forge) Backup(ctx context.Context, by sigit.Actor, out io.Writer) error {
	if !by.Operator {
		return fault.New(fault.Denied, "only the operator makes backups")
	}
	version, err := f.db.Version(ctx)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "sigit-backup-*")
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer os.RemoveAll(tmp)
	t := tar.NewWriter(out)
	var ids []int64
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		m := manifest{Format: backupFormat, Schema: version, Made: tx.Now(), Engine: f.db.Engine()}
		if m.Counters, err = tx.Counters(ctx); err != nil {
			return err
		}
		text, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		if err := putFile(t, manifestName, int64(len(text)), m.Made, bytes.NewReader(text)); err != nil {
			return err
		}
		for _, table := range store.Tables() {
			if err := putTable(ctx, t, tx, table, tmp); err != nil {
				return err
			}
		}
		ids, err = tx.RepoIDs(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	for _, id := range ids {
		if err := f.putRepo(ctx, t, id, tmp); err != nil {
			return fmt.Errorf("back up repository %d: %w", id, err)
		}
	}
	return t.Close()
}

func putFile(t *tar.Writer, name string, size int64, made time.Time, in io.Reader) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: made, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	_, err := io.Copy(t, in)
	return err
}

// putTable writes a table by way of a file, because tar wants to know the
// size first.
func putTable(ctx context.Context, t *tar.Writer, tx *store.Tx, table, tmp string) error {
	path := filepath.Join(tmp, table)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer file.Close()
	out := bufio.NewWriter(file)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := tx.Dump(ctx, table, func(row []any) error { return enc.Encode(row) }); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		return err
	}
	return putPath(t, tablePrefix+table+".jsonl", path, tx.Now())
}

func putPath(t *tar.Writer, name, path string, made time.Time) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return putFile(t, name, info.Size(), made, file)
}

func (f *Forge) putRepo(ctx context.Context, t *tar.Writer, id int64, tmp string) error {
	path := filepath.Join(tmp, strconv.FormatInt(id, 10)+".bundle")
	defer os.Remove(path)
	err := f.code(sigit.Repo{ID: id}).Bundle(ctx, path)
	if errors.Is(err, git.ErrMissing) { // deleted since the tables were read
		f.log.WarnContext(ctx, "a repository is gone and not in the backup", "repo", id)
		return nil
	}
	if err != nil {
		return err
	}
	return putPath(t, repoPrefix+filepath.Base(path), path, f.now())
}

// Restore reads what Backup wrote into a forge in which nothing was ever
// stored, of the same engine or the other one: everything, or nothing when it
// fails. Nobody else may use the forge meanwhile. Only the operator may.
func (f *Forge) Restore(ctx context.Context, by sigit.Actor, in io.Reader) error {
	if !by.Operator {
		return fault.New(fault.Denied, "only the operator restores backups")
	}
	version, err := f.db.Version(ctx)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(f.dir); err == nil && len(entries) > 0 {
		return fault.New(fault.Conflict, "the folder of repositories is not empty; restore into a new data folder")
	}
	r := restorer{Forge: f, in: tar.NewReader(in), branches: map[int64]string{}}
	err = f.db.Write(ctx, func(tx *store.Tx) error {
		empty, err := tx.Empty(ctx)
		if err != nil {
			return err
		}
		if !empty {
			return fault.New(fault.Conflict, "the database is not empty; restore into a new one")
		}
		return r.run(ctx, tx, version)
	})
	if err != nil {
		return errors.Join(err, removeAllIn(f.dir))
	}
	return nil
}

func removeAllIn(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

type restorer struct {
	*Forge
	in       *tar.Reader
	branches map[int64]string // default branches by repository
}

func notBackup(format string, args ...any) error {
	return fault.New(fault.Invalid, "this is no backup that can be read: "+format, args...)
}

func (r restorer) run(ctx context.Context, tx *store.Tx, version int) error {
	m, err := r.manifest(version)
	if err != nil {
		return err
	}
	for _, table := range store.Tables() {
		if err := r.table(ctx, tx, table); err != nil {
			return err
		}
	}
	if err := tx.SetCounters(ctx, m.Counters); err != nil {
		return err
	}
	for {
		h, err := r.in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return notBackup("%v", err)
		}
		if err := r.repo(ctx, h.Name); err != nil {
			return err
		}
	}
	for id, branch := range r.branches { // those that were gone when the backup was made
		if _, err := r.git.Init(ctx, r.folder(id), branch); err != nil {
			return err
		}
	}
	return nil
}

func (r restorer) manifest(version int) (m manifest, err error) {
	h, err := r.in.Next()
	if err != nil || h.Name != manifestName {
		return m, notBackup("it does not start with %s", manifestName)
	}
	if err := json.NewDecoder(io.LimitReader(r.in, 1<<20)).Decode(&m); err != nil {
		return m, notBackup("%v", err)
	}
	if m.Format != backupFormat || m.Schema < store.OldestDump || m.Schema > version {
		return m, fault.New(fault.Invalid, "the backup is of format %d and schema %d; this program reads format %d and schemas %d to %d",
			m.Format, m.Schema, backupFormat, store.OldestDump, version)
	}
	return m, nil
}

func (r restorer) table(ctx context.Context, tx *store.Tx, table string) error {
	h, err := r.in.Next()
	if err != nil || h.Name != tablePrefix+table+".jsonl" {
		return notBackup("the table %s is missing", table)
	}
	dec := json.NewDecoder(r.in)
	dec.UseNumber()
	var columns []any
	return tx.Load(ctx, table, func() (row []any, err error) {
		err = dec.Decode(&row)
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, notBackup("%s: %v", table, err)
		case columns == nil:
			columns = row
		case table == "repositories":
			return row, r.noteBranch(columns, row)
		}
		return row, nil
	})
}

func (r restorer) noteBranch(columns, row []any) error {
	var id int64
	var branch string
	for i := range min(len(columns), len(row)) {
		switch columns[i] {
		case "id":
			n, _ := row[i].(json.Number)
			id, _ = n.Int64()
		case "default_branch":
			branch, _ = row[i].(string)
		}
	}
	if id < 1 || sigit.CheckBranch(branch) != nil {
		return notBackup("a repository has the number %d and the default branch %q", id, branch)
	}
	r.branches[id] = branch
	return nil
}

func (r restorer) repo(ctx context.Context, name string) error {
	number, ok := strings.CutPrefix(name, repoPrefix)
	id, err := strconv.ParseInt(strings.TrimSuffix(number, ".bundle"), 10, 64)
	branch := r.branches[id]
	if !ok || err != nil || branch == "" {
		return notBackup("%q belongs to no repository", name)
	}
	delete(r.branches, id)
	tmp, err := os.CreateTemp("", "sigit-restore-*.bundle")
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, r.in)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("restore repository %d: %w", id, err)
	}
	if _, err := r.git.Restore(ctx, r.folder(id), tmp.Name(), branch); err != nil {
		return fmt.Errorf("restore repository %d: %w", id, err)
	}
	return nil
}
