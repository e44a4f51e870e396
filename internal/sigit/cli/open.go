package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/store"
)

// operator is who runs commands on the data folder.
var operator = sigit.Operator(sigit.User{})

// opened is a data folder at work.
type opened struct {
	*forge.Forge
	db  *store.DB
	git *git.Git
}

// open opens the data folder, making it when it is not there, and gives the
// forge what change sets.
func (g *globals) open(ctx context.Context, log *slog.Logger, change func(*forge.Options)) (*opened, error) {
	if err := os.MkdirAll(g.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	tool, err := git.New(git.Options{})
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, g.databaseAddress())
	if err != nil {
		tool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	o := forge.Options{DB: db, Git: tool, Dir: filepath.Join(g.Data, "repositories"), Log: log}
	if change != nil {
		change(&o)
	}
	return &opened{Forge: forge.New(o), db: db, git: tool}, nil
}

func (o *opened) Close() error {
	o.git.Close()
	return o.db.Close()
}

// with opens the data folder for one command.
func (g *globals) with(ctx context.Context, w World, do func(*forge.Forge) error) error {
	o, err := g.open(ctx, newLog(w.Err, "warn", true), nil)
	if err != nil {
		return err
	}
	return errors.Join(do(o.Forge), o.Close())
}
