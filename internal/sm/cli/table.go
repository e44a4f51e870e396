package cli

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// A table lines up columns for a person.
type table struct {
	head []string
	rows [][]string
	// right marks columns of numbers.
	right map[int]bool
	// paint colours a finished cell; it may be nil.
	paint func(column int, raw, padded string) string
}

// text lays the table out. A first column that would push the line over wide
// columns is cut in the middle; wide 0 cuts nothing.
func (t table) text(p palette, wide int) string {
	widths := make([]int, len(t.head))
	measure := func(row []string) {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	measure(t.head)
	for _, row := range t.rows {
		measure(row)
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if wide > 0 && total > wide {
		widths[0] = max(widths[0]-(total-wide), 20)
	}
	var b strings.Builder
	t.line(&b, t.head, widths, func(_ int, _, padded string) string { return p.dim(padded) })
	for _, row := range t.rows {
		t.line(&b, row, widths, t.paint)
	}
	return b.String()
}

func (t table) line(b *strings.Builder, row []string, widths []int, paint func(int, string, string) string) {
	var line strings.Builder
	for i, cell := range row {
		padded := fit(cell, widths[i], t.right[i])
		if i == len(row)-1 && !t.right[i] {
			padded = strings.TrimRight(padded, " ")
		}
		if paint != nil {
			padded = paint(i, cell, padded)
		}
		if i > 0 {
			line.WriteString("  ")
		}
		line.WriteString(padded)
	}
	b.WriteString(line.String() + "\n")
}

// fit pads or cuts a cell to a width.
func fit(cell string, width int, right bool) string {
	have := runewidth.StringWidth(cell)
	if have > width {
		tail := runewidth.TruncateLeft(cell, have-width*2/3, "")
		cell = runewidth.Truncate(cell, width-runewidth.StringWidth(tail)-1, "") + "…" + tail
		have = runewidth.StringWidth(cell)
	}
	pad := strings.Repeat(" ", max(0, width-have))
	if right {
		return pad + cell
	}
	return cell + pad
}
