package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"skillforge/internal/sqldb"
)

// Piece is a part of a value of scan_cache that is long, so that a small change
// of the value writes little. Its name is a digest of its text.
type Piece struct {
	Sum  string // hexadecimal
	Text func() []byte
}

// pieceOf is a text as a piece.
func pieceOf(text []byte) Piece {
	sum := sha256.Sum256(text)
	return Piece{hex.EncodeToString(sum[:16]), func() []byte { return text }}
}

func piecesOf(texts [][]byte) (list []Piece) {
	for _, text := range texts {
		list = append(list, pieceOf(text))
	}
	return list
}

// sumsOf lists the pieces in order: what stands under the name of the value.
func sumsOf(pieces []Piece) []byte {
	sums := make([]string, len(pieces))
	for i, p := range pieces {
		sums[i] = p.Sum
	}
	return []byte(strings.Join(sums, "\n"))
}

// pieceName is where a piece of a value is kept.
func pieceName(value, sum string) string { return value + "/" + sum }

// rememberPieces writes those pieces of a value that are new, and removes those
// that are not in it any more.
func rememberPieces(ctx context.Context, tx *sqldb.Tx, value string, pieces []Piece) error {
	known := map[string]bool{}
	rows, err := tx.QueryContext(ctx, `SELECT name FROM scan_cache WHERE name >= $1 AND name < $2`, value+"/", value+"0")
	names, err := collect[string](rows, err)
	if err != nil {
		return err
	}
	for _, name := range names {
		known[name] = true
	}
	stays := make(map[string]bool, len(pieces))
	for _, p := range pieces {
		name := pieceName(value, p.Sum)
		if !known[name] && !stays[name] {
			if err := remember(ctx, tx, name, p.Text()); err != nil {
				return err
			}
		}
		stays[name] = true
	}
	for name := range known {
		if !stays[name] {
			if err := remember(ctx, tx, name, nil); err != nil {
				return err
			}
		}
	}
	if len(pieces) == 0 {
		return remember(ctx, tx, value, nil)
	}
	return remember(ctx, tx, value, sumsOf(pieces))
}

// cachedPieces reads the pieces of a value in order, nil when there is none or
// one is missing.
func cachedPieces(ctx context.Context, q querier, value string) (sums []string, texts [][]byte, err error) {
	list, err := cached(ctx, q, value)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT name, value FROM scan_cache WHERE name >= $1 AND name < $2`, value+"/", value+"0")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	found := map[string][]byte{}
	for rows.Next() {
		var name string
		var text []byte
		if err := rows.Scan(&name, &text); err != nil {
			return nil, nil, err
		}
		found[name] = text
	}
	sums = strings.Split(string(list), "\n")
	for _, sum := range sums {
		text, ok := found[pieceName(value, sum)]
		if !ok {
			return nil, nil, rows.Err()
		}
		texts = append(texts, text)
	}
	return sums, texts, rows.Err()
}

// cachedWhole is cachedPieces put together.
func cachedWhole(ctx context.Context, q querier, value string) ([]byte, error) {
	_, texts, err := cachedPieces(ctx, q, value)
	if texts == nil {
		return nil, err
	}
	return bytes.Join(texts, nil), err
}
