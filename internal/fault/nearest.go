package fault

// Nearest is the known word that differs least from what was written, for a
// sentence that asks "did you mean". It is empty when none is near: more than
// a third of the letters would have to change. Two swapped neighbours count as
// one change.
func Nearest(written string, known []string) string {
	best, least := "", 1+len(written)/3
	for _, word := range known {
		if len(word) > len(written)+least || len(written) > len(word)+least {
			continue // so many letters would have to come or go
		}
		if d := distance(written, word); d < least || d == least && best == "" {
			best, least = word, d
		}
	}
	return best
}

// distance counts the single-letter changes between two words.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
