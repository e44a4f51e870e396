package draw

import (
	"cmp"
	"math"
	"slices"
)

// A layout places boxes in layers from left to right, so that most edges run
// forward: what others are reached from stands left of them. It is computed
// from the order of names and edges alone.
type layout struct {
	column []int // of each box
	row    []int // in its column
	tall   int   // rows of the tallest column
	wide   int   // columns
	loose  []int // boxes without an edge, placed below the others
}

// place lays out n boxes; to lists, for each box, where its edges lead. Both
// count boxes from 0.
func place(n int, to [][]int) layout {
	from := reverse(n, to)
	l := layout{column: make([]int, n), row: make([]int, n)}
	layer := layers(n, to)
	var bands [][]int
	for box := range n {
		if len(to[box]) == 0 && len(from[box]) == 0 {
			l.loose = append(l.loose, box)
			continue
		}
		for len(bands) <= layer[box] {
			bands = append(bands, nil)
		}
		bands[layer[box]] = append(bands[layer[box]], box)
	}
	untangle(bands, to, from, n)
	l.fold(bands, n-len(l.loose))
	return l
}

func reverse(n int, to [][]int) [][]int {
	from := make([][]int, n)
	for box, ends := range to {
		for _, end := range ends {
			if end != box {
				from[end] = append(from[end], box)
			}
		}
	}
	return from
}

// layers gives each box the length of the longest forward path to it. Edges
// that would close a circle are set aside, found by walking depth first from
// the boxes nobody leads to.
func layers(n int, to [][]int) []int {
	order, back := walk(n, to)
	layer := make([]int, n)
	for _, box := range order {
		for i, end := range to[box] {
			if !back[box][i] {
				layer[end] = max(layer[end], layer[box]+1)
			}
		}
	}
	return layer
}

// walk returns the boxes in an order in which every edge runs forward, except
// those marked as running back.
func walk(n int, to [][]int) (order []int, back [][]bool) {
	const fresh, open, done = 0, 1, 2
	state := make([]int, n)
	back = make([][]bool, n)
	inbound := make([]int, n)
	for box, ends := range to {
		back[box] = make([]bool, len(ends))
		for _, end := range ends {
			if end != box {
				inbound[end]++
			}
		}
	}
	starts := make([]int, n)
	for i := range starts {
		starts[i] = i
	}
	slices.SortStableFunc(starts, func(a, b int) int { return cmp.Compare(inbound[a], inbound[b]) })
	type frame struct{ box, next int }
	for _, start := range starts {
		if state[start] != fresh {
			continue
		}
		stack := []frame{{start, 0}} // a stack of our own: chains may be long
		state[start] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(to[top.box]) {
				state[top.box] = done
				order = append(order, top.box)
				stack = stack[:len(stack)-1]
				continue
			}
			i := top.next
			top.next++
			switch end := to[top.box][i]; state[end] {
			case open:
				back[top.box][i] = true
			case fresh:
				state[end] = open
				stack = append(stack, frame{end, 0})
			}
		}
	}
	slices.Reverse(order)
	return order, back
}

// untangle orders the boxes of each band by the mean place of those they are
// joined to, sweeping to and fro a few times, so that fewer edges cross.
func untangle(bands [][]int, to, from [][]int, n int) {
	at := make([]float64, n)
	settle := func(band []int) {
		for i, box := range band {
			at[box] = (float64(i) + 0.5) / float64(len(band))
		}
	}
	for _, band := range bands {
		settle(band)
	}
	for sweep := range 12 {
		neighbours := from
		if sweep%2 == 1 {
			neighbours = to
		}
		for i := range bands {
			band := bands[i]
			if sweep%2 == 1 {
				band = bands[len(bands)-1-i]
			}
			mean := make(map[int]float64, len(band))
			for _, box := range band {
				mean[box] = middle(at, neighbours[box], at[box])
			}
			slices.SortStableFunc(band, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
			settle(band)
		}
	}
}

// middle is the mean place of some boxes, or where it is when there are none.
func middle(at []float64, boxes []int, own float64) float64 {
	if len(boxes) == 0 {
		return own
	}
	sum := 0.0
	for _, b := range boxes {
		sum += at[b]
	}
	return sum / float64(len(boxes))
}

// fold gives each band as many columns as it needs to be no taller than a
// picture of that many boxes should be.
func (l *layout) fold(bands [][]int, boxes int) {
	most := max(24, int(math.Ceil(1.6*math.Sqrt(float64(boxes)))))
	for _, band := range bands {
		if len(band) == 0 {
			continue
		}
		columns := (len(band) + most - 1) / most
		rows := (len(band) + columns - 1) / columns
		for i, box := range band {
			l.column[box] = l.wide + i/rows
			l.row[box] = i % rows
		}
		l.wide += columns
		l.tall = max(l.tall, rows)
	}
}
