package atlas

import (
	"context"
	"errors"
	"os"
	"sync"

	"skillforge/internal/sm/store"
)

// handle keeps a database open between the verbs of a server, as long as the
// same file is there. A command opens it anew each time: it asks once.
type handle struct {
	posture store.Posture

	mu    sync.RWMutex // held while the store is used; guards what follows
	store *store.Store
	file  os.FileInfo
}

// use runs fn on the open database.
func (h *handle) use(ctx context.Context, a *Atlas, fn func(*store.Store) error) error {
	if !a.resident {
		s, err := a.open(ctx, h.posture)
		if err != nil {
			return err
		}
		return errors.Join(fn(s), s.Close())
	}
	for {
		h.mu.RLock()
		if h.holds(a.database) {
			err := fn(h.store)
			h.mu.RUnlock()
			return err
		}
		h.mu.RUnlock()
		if err := h.open(ctx, a); err != nil {
			return err
		}
	}
}

// holds reports whether the file that is open is the one at path. The caller
// holds mu.
func (h *handle) holds(path string) bool {
	if h.store == nil {
		return false
	}
	file, err := os.Stat(path)
	return err == nil && os.SameFile(file, h.file)
}

func (h *handle) open(ctx context.Context, a *Atlas) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holds(a.database) {
		return nil
	}
	if err := h.drop(); err != nil {
		return err
	}
	s, err := a.open(ctx, h.posture)
	if err != nil {
		return err
	}
	file, err := os.Stat(a.database)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	h.store, h.file = s, file
	return nil
}

// drop lets the file go. The caller holds mu.
func (h *handle) drop() error {
	if h.store == nil {
		return nil
	}
	err := h.store.Close()
	h.store, h.file = nil, nil
	return err
}

func (h *handle) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.drop()
}
