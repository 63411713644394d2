package cli

import (
	"bufio"
	"strings"

	"github.com/coppice-dev/coppice/internal/terminal"
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

// visible removes from a text of unknown origin what would steer a terminal.
func visible(s string) string { return terminal.Clean(s) }
