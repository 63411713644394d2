package cli

import (
	"bufio"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// column is the format of a table's column.
type column struct {
	color string // "": the terminal's
	right bool   // aligned right, for numbers
}

// table prints rows with aligned columns. The last column is not padded.
func (a *app) table(cols []column, rows [][]string) {
	widths := make([]int, len(cols))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	out := bufio.NewWriter(a.Out)
	defer out.Flush()
	for _, row := range rows {
		for i, cell := range row {
			fill := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell))
			cell = a.paint(cols[i].color, cell)
			switch {
			case cols[i].right:
				cell = fill + cell
			case i < len(row)-1:
				cell += fill
			}
			if i > 0 {
				out.WriteString("  ")
			}
			out.WriteString(cell)
		}
		out.WriteByte('\n')
	}
}

// count formats a number of things for people.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + many
}

// dim is the colour for what matters less.
const dim = "245"

// visible removes from a text of unknown origin what would control a terminal:
// escape sequences, control characters, and characters that change the writing
// direction.
func visible(s string) string {
	steers := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}
