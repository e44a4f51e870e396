package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"skillforge/internal/skillmap"
)

// Bundle is one node with everything that touches it.
type Bundle struct {
	Node               skillmap.Node
	Incoming, Outgoing []skillmap.Link
	Issues             []skillmap.Issue
}

// Bundle reads one node, nil when no node has the path.
func (tx *Tx) Bundle(ctx context.Context, path string) (*Bundle, error) {
	found, err := fetch(ctx, tx, 1, readNode, `SELECT `+nodeColumns+` FROM scan_nodes WHERE path = $1`, path)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	b := &Bundle{Node: found[0]}
	b.Outgoing, err = fetch(ctx, tx, 0, readLink, `SELECT `+linkColumns+` FROM scan_links WHERE source_path = $1 ORDER BY id`, path)
	if err != nil {
		return nil, err
	}
	b.Incoming, err = fetch(ctx, tx, 0, readLink, `SELECT `+linkColumns+` FROM scan_links WHERE target_path = $1 OR resolved_target = $1 ORDER BY id`, path)
	if err != nil {
		return nil, err
	}
	b.Issues, _, err = tx.Issues(ctx, IssueFilter{Nodes: []string{path}})
	return b, err
}

// IssueFilter selects issues; an empty list admits everything.
type IssueFilter struct {
	Severities, Analyzers, Nodes []string
	Offset, Limit                int // Limit 0: all
}

// where is a condition in the making.
type where struct {
	terms []string
	args  []any
}

// arg takes a value and names it.
func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return fmt.Sprintf("$%d", len(w.args))
}

func (w *where) add(format string, args ...any) {
	w.terms = append(w.terms, fmt.Sprintf(format, args...))
}

// in asks for one of the values.
func (w *where) in(what string, values []string) {
	if len(values) == 0 {
		return
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = w.arg(v)
	}
	w.add("%s IN (%s)", what, strings.Join(names, ", "))
}

func (w *where) String() string {
	if len(w.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.terms, " AND ")
}

// page is the end of a statement that hands out a part.
func (w *where) page(offset, limit int) string {
	if limit <= 0 {
		limit = -1
	}
	return fmt.Sprintf(" LIMIT %s OFFSET %s", w.arg(limit), w.arg(max(0, offset)))
}

// Issues reads a page of the issues, and how many there are before paging.
func (tx *Tx) Issues(ctx context.Context, f IssueFilter) (page []skillmap.Issue, total int, err error) {
	var w where
	w.in("severity", f.Severities)
	w.analyzers(f.Analyzers)
	if len(f.Nodes) > 0 {
		var named where
		named.args = w.args
		named.in("value", f.Nodes)
		w.args = named.args
		w.add("EXISTS (SELECT 1 FROM json_each(node_ids_json)%s)", named.String())
	}
	if err = tx.QueryRowContext(ctx, `SELECT count(*) FROM scan_issues`+w.String(), w.args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	text := `SELECT ` + issueColumns + ` FROM scan_issues` + w.String() + ` ORDER BY id` + w.page(f.Offset, f.Limit)
	page, err = fetch(ctx, tx, 0, readIssue, text, w.args...)
	return page, total, err
}

// analyzers asks for issues of some rules as skillmap.MatchAnalyzer does:
// stored ids are short, filters may be qualified and have a part after ":".
func (w *where) analyzers(filters []string) {
	if len(filters) == 0 {
		return
	}
	short := make([]string, len(filters))
	for i, f := range filters {
		f, _, _ = strings.Cut(f, ":")
		short[i] = skillmap.ShortID(f)
	}
	w.in("substr(analyzer_id, instr(analyzer_id, '/') + 1)", short)
}

// NodeFilter selects and orders nodes; what is empty admits everything.
type NodeFilter struct {
	Kinds     []string
	HasIssues bool
	Tag       string
	SortBy    string
	Limit     int // 0: all
}

// Orders are the values of NodeFilter.SortBy with what they mean; ties go by
// path.
var Orders = map[string]string{
	"": "path", "path": "path", "kind": "kind, path",
	"tokens_total": "coalesce(tokens_total, 0) DESC, path", "links_out_count": "links_out_count DESC, path",
	"links_in_count": "links_in_count DESC, path", "external_refs_count": "external_refs_count DESC, path",
}

// Nodes reads nodes. SortBy must be one of Orders.
func (tx *Tx) Nodes(ctx context.Context, f NodeFilter) ([]skillmap.Node, error) {
	var w where
	w.in("kind", f.Kinds)
	if f.HasIssues {
		w.add("path IN (SELECT value FROM scan_issues, json_each(node_ids_json))")
	}
	if f.Tag != "" {
		w.add("path IN (SELECT node_path FROM scan_node_tags WHERE tag = %s)", w.arg(f.Tag))
	}
	order, ok := Orders[f.SortBy]
	if !ok {
		return nil, errors.New("no order of that name")
	}
	text := `SELECT ` + nodeColumns + ` FROM scan_nodes` + w.String() + ` ORDER BY ` + order + w.page(0, f.Limit)
	return fetch(ctx, tx, 0, readNode, text, w.args...)
}

// Tags reads the tags of each node that has some, in the order given.
func (tx *Tx) Tags(ctx context.Context) (map[string][]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT node_path, tag FROM scan_node_tags ORDER BY rowid`)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for rows.Next() {
		var path, tag string
		if err := rows.Scan(&path, &tag); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out[path] = append(out[path], tag)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// Favorites reads which nodes are marked as favourites, and since when (unix
// milliseconds).
func (tx *Tx) Favorites(ctx context.Context) (map[string]int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT node_path, favorited_at FROM state_node_favorites`)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for rows.Next() {
		var path string
		var at int64
		if err := rows.Scan(&path, &at); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out[path] = at
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// SetFavorite marks a node as a favourite, or takes the mark away.
func (tx *Tx) SetFavorite(ctx context.Context, path string, on bool) error {
	if !on {
		_, err := tx.ExecContext(ctx, `DELETE FROM state_node_favorites WHERE node_path = $1`, path)
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO state_node_favorites (node_path, favorited_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, path, tx.Now)
	return err
}

// Preference reads a note of the program itself into v; false when there is none.
func (tx *Tx) Preference(ctx context.Context, key string, v any) (bool, error) {
	var text string
	err := tx.QueryRowContext(ctx, `SELECT value_json FROM config_preferences WHERE key = $1`, key).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, firstError(err, unjson([]byte(text), v))
}

// SetPreference keeps a note of the program itself.
func (tx *Tx) SetPreference(ctx context.Context, key string, value any) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO config_preferences (key, value_json, updated_at) VALUES ($1, $2, $3)`,
		key, string(skillmap.AppendValue(nil, value)), tx.Now)
	return err
}
