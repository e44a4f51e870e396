package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"skillforge/internal/fault"
	"skillforge/internal/sigit/forge"
)

type backupCmd struct {
	File string `arg:"" help:"Where to write; - is the standard output."`
}

func (c *backupCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		if c.File == "-" {
			return f.Backup(ctx, operator, w.Out)
		}
		return writeWhole(c.File, func(out io.Writer) error { return f.Backup(ctx, operator, out) })
	})
}

// writeWhole writes a file that is there whole or not at all, for its owner
// alone.
func writeWhole(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".sigit-backup-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	err = write(tmp)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

type restoreCmd struct {
	File string `arg:"" help:"What sigit backup wrote; - is the standard input."`
}

func (c *restoreCmd) Run(ctx context.Context, w World, g *globals) error {
	lock, err := lockFolder(g.Data)
	if err != nil {
		return err
	}
	defer lock.release()
	in := w.In
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return fault.New(fault.Invalid, "%s cannot be read", c.File).Because(err)
		}
		defer file.Close()
		in = file
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		err := f.Restore(ctx, operator, in)
		if err == nil {
			fmt.Fprintln(w.Out, "restored")
		}
		return err
	})
}
