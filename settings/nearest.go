package settings

import "strings"

// nearest returns the candidate that name was most likely meant to be, or "".
// A name that differs only in its group or in letter case is always found;
// otherwise a third of the letters may be wrong, and one more.
func nearest(name string, candidates []string) string {
	best, least := "", len(name)/3+2
	for _, c := range candidates {
		d := distance(strings.ToLower(name), strings.ToLower(c))
		if strings.EqualFold(last(name), last(c)) {
			d = min(d, 1)
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// distance returns the number of single letters to add, drop or change to get
// from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
