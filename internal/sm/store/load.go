package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/survey"
)

// Generation counts the changes of the map's rows and tells which moment it
// was scanned at, so that a copy of it can be compared.
type Generation struct {
	Rows      uint64
	ScannedAt int64
}

// Generation of the map that is kept, zero before the first scan.
func (s *Store) Generation(ctx context.Context) (g Generation, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		g, err = tx.Generation(ctx)
		return err
	})
	return g, err
}

// Generation of the map as the transaction sees it.
func (tx *Tx) Generation(ctx context.Context) (Generation, error) {
	text, err := cached(ctx, tx, cacheGeneration)
	if err != nil {
		return Generation{}, err
	}
	g := Generation{Rows: generation(text)}
	err = tx.QueryRowContext(ctx, `SELECT scanned_at FROM scan_meta WHERE id = 1`).Scan(&g.ScannedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return g, nil
	}
	return g, err
}

// Conn is one connection for the caller alone, such as to ask it whether
// others committed. Close it before the store.
func (s *Store) Conn(ctx context.Context) (*sql.Conn, error) {
	if s.db == nil {
		return nil, missing(s.path)
	}
	c, err := s.db.Reader().Conn(ctx)
	return c, s.explain(err)
}

// Load reads the whole map, the empty one when there was no scan.
func (s *Store) Load(ctx context.Context) (r *skillmap.ScanResult, g Generation, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		if g, err = tx.Generation(ctx); err != nil {
			return err
		}
		r, err = tx.load(ctx)
		return err
	})
	return r, g, err
}

func (tx *Tx) load(ctx context.Context) (*skillmap.ScanResult, error) {
	r, err := tx.Meta(ctx)
	if err != nil {
		return nil, err
	}
	n, l, i := r.Stats.NodesCount, r.Stats.LinksCount, r.Stats.IssuesCount
	if r.Nodes, err = fetch(ctx, tx, n, readNode, `SELECT `+nodeColumns+` FROM scan_nodes ORDER BY rowid`); err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	if r.Links, err = fetch(ctx, tx, l, readLink, `SELECT `+linkColumns+` FROM scan_links ORDER BY id`); err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	if r.Issues, err = fetch(ctx, tx, i, readIssue, `SELECT `+issueColumns+` FROM scan_issues ORDER BY id`); err != nil {
		return nil, fmt.Errorf("read issues: %w", err)
	}
	r.Stats.NodesCount, r.Stats.LinksCount, r.Stats.IssuesCount = len(r.Nodes), len(r.Links), len(r.Issues)
	return r, nil
}

// Meta reads the map without its lists: what it was made of and by, and how
// much there is. It is the empty map when there was no scan.
func (s *Store) Meta(ctx context.Context) (r *skillmap.ScanResult, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		r, err = tx.Meta(ctx)
		return err
	})
	return r, err
}

// Meta is Store.Meta as the transaction sees it.
func (tx *Tx) Meta(ctx context.Context) (*skillmap.ScanResult, error) {
	r := skillmap.Empty(tx.Now)
	var roots, providers, oversized, tokenizer, active sql.NullString
	by := &skillmap.ScannedBy{}
	err := tx.QueryRowContext(ctx, `SELECT roots_json, scanned_at, scanned_by_name, scanned_by_version, scanned_by_spec_version, providers_json,
		stats_files_walked, stats_files_skipped, stats_duration_ms, scan_ceiling, scan_truncated, max_render_nodes, files_oversized,
		oversized_files_json, tokenizer, active_provider FROM scan_meta WHERE id = 1`).
		Scan(&roots, &r.ScannedAt, &by.Name, &by.Version, &by.SpecVersion, &providers,
			&r.Stats.FilesWalked, &r.Stats.FilesSkipped, &r.Stats.DurationMs, &r.ScanCeiling, &r.ScanTruncated, &r.MaxRenderNodes, &r.Stats.FilesOversized,
			&oversized, &tokenizer, &active)
	if errors.Is(err, sql.ErrNoRows) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.ScannedBy, r.Tokenizer, r.ActiveProvider = by, tokenizer.String, active.String
	sum, err := tx.Summary(ctx)
	if err != nil {
		return nil, err
	}
	r.Stats.NodesCount, r.Stats.LinksCount, r.Stats.IssuesCount = sum.Nodes, sum.Links, sum.Issues
	return r, firstError(unjson([]byte(roots.String), &r.Roots), unjson([]byte(providers.String), &r.Providers), unjsonText(oversized, &r.OversizedFiles))
}

func unjsonText(s sql.NullString, v any) error {
	if !s.Valid {
		return nil
	}
	return json.Unmarshal([]byte(s.String), v)
}

// Summary counts the map.
func (tx *Tx) Summary(ctx context.Context) (s Summary, err error) {
	text, err := cached(ctx, tx, cacheSummary)
	if err != nil {
		return s, err
	}
	if text != nil && json.Unmarshal(text, &s) == nil {
		return s, nil
	}
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM scan_nodes), (SELECT count(*) FROM scan_links), (SELECT count(*) FROM scan_issues),
		(SELECT count(*) FROM scan_issues WHERE severity = 'error'), (SELECT count(*) FROM scan_issues WHERE severity = 'warn'),
		(SELECT count(*) FROM scan_issues WHERE severity = 'info')`).Scan(&s.Nodes, &s.Links, &s.Issues, &s.Errors, &s.Warns, &s.Infos)
	return s, err
}

// Prior reads what a survey wants of the map before: nil when there was none,
// or one that another version kept in a way of its own.
func (s *Store) Prior(ctx context.Context) (p *survey.Prior, err error) {
	if s.db == nil || s.before.drift() != Ours || !s.before.scanned {
		return nil, nil
	}
	err = s.Read(ctx, func(tx *Tx) error {
		p, err = tx.prior(ctx)
		return err
	})
	return p, err
}

func (tx *Tx) prior(ctx context.Context) (*survey.Prior, error) {
	sums, texts, err := cachedPieces(ctx, tx, cacheSurvey)
	if err != nil {
		return nil, err
	}
	if texts != nil {
		if c, err := survey.ReadCache(sums, texts); err == nil {
			return &survey.Prior{Cache: c}, nil
		}
	}
	known, err := fetch(ctx, tx, 0, func(v values, k *survey.Known) error {
		*k = survey.Known{Path: v.text(0), BodyHash: v.text(1), FrontmatterHash: v.text(2), Virtual: v.int(3) != 0}
		return nil
	}, `SELECT path, body_hash, frontmatter_hash, virtual FROM scan_nodes ORDER BY rowid`)
	return &survey.Prior{Known: known}, err
}

// Record reads what survey.Unchanged wants, nil when there is nothing.
func (s *Store) Record(ctx context.Context) (text []byte, err error) {
	if s.db == nil || s.before.drift() != Ours {
		return nil, nil
	}
	err = s.Read(ctx, func(tx *Tx) error {
		text, err = cachedWhole(ctx, tx, cacheRecord)
		return err
	})
	return text, err
}

// Nodes counts the nodes of the map that is kept, 0 when there is none.
func (s *Store) Nodes(ctx context.Context) (n int, err error) {
	if s.db == nil || !s.before.scanned {
		return 0, nil
	}
	err = s.db.Reader().QueryRowContext(ctx, `SELECT count(*) FROM scan_nodes`).Scan(&n)
	return n, s.explain(err)
}
