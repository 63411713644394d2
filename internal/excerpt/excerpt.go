// Package excerpt shortens the output of tools: the head, the tail, and the
// lines between that look like errors.
package excerpt

import (
	"fmt"
	"math"
	"strings"

	"github.com/coppice-dev/coppice/internal/safetext"
)

// Shares of what is kept of a text that is too long: the head, the lines that
// look like errors, and the rest for the tail.
const (
	headShare  = 4 // a quarter
	errorShare = 8 // an eighth
)

// Cut shortens a text that is too long, to about maxBytes and maxLines (0: any
// number): its head, lines from the middle that look like errors, its tail, and
// where to find the whole text, such as "read en:1a2b for all of it". where may
// be empty.
func Cut(text string, maxBytes, maxLines int, where string) string {
	if maxLines <= 0 {
		maxLines = math.MaxInt
	}
	lines := strings.SplitAfter(text, "\n")
	head, n := takeLines(lines, maxBytes/headShare, maxLines/headShare)
	tail, m := takeLast(lines[n:], maxBytes-maxBytes/headShare-maxBytes/errorShare, maxLines/2)
	middle := lines[n : len(lines)-m]
	errs := errorLines(middle, maxBytes/errorShare)

	var b strings.Builder
	b.WriteString(head)
	endLine(&b)
	fmt.Fprintf(&b, "[%d bytes of %d left out here", len(text)-len(head)-len(tail), len(text))
	if where != "" {
		b.WriteString("; " + where)
	}
	b.WriteString("]\n")
	if errs != "" {
		b.WriteString("[lines from there that look like errors:]\n" + errs)
		endLine(&b)
		b.WriteString("[the end:]\n")
	}
	b.WriteString(tail)
	return b.String()
}

func endLine(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
}

// takeLines takes lines from the front within both limits. If the first line
// alone is too long, a part of it is taken, and it does not count.
func takeLines(lines []string, maxBytes, maxLines int) (string, int) {
	var b strings.Builder
	for i, l := range lines {
		if i == maxLines || b.Len()+len(l) > maxBytes {
			if i == 0 {
				return safetext.CutHead(l, units(l, maxBytes)), 0
			}
			return b.String(), i
		}
		b.WriteString(l)
	}
	return b.String(), len(lines)
}

// takeLast takes lines from the end within both limits, like takeLines.
func takeLast(lines []string, maxBytes, maxLines int) (string, int) {
	size, n := 0, 0
	for n < len(lines) && n < maxLines && size+len(lines[len(lines)-1-n]) <= maxBytes {
		size += len(lines[len(lines)-1-n])
		n++
	}
	if n == 0 && len(lines) > 0 {
		l := lines[len(lines)-1]
		return safetext.CutTail(l, units(l, maxBytes)), 0
	}
	return strings.Join(lines[len(lines)-n:], ""), n
}

// units returns about how many UTF-16 units of s fit into max bytes.
func units(s string, max int) int {
	if len(s) <= max {
		return len(s)
	}
	return max * safetext.UTF16Len(s) / len(s)
}

// errorLines returns the lines that look like errors, as many as fit.
func errorLines(lines []string, maxBytes int) string {
	const maxLine = 400
	var b strings.Builder
	for _, l := range lines {
		if !tellsError(l) {
			continue
		}
		if l = strings.TrimRight(safetext.CutHead(l, maxLine), "\n"); b.Len()+len(l) >= maxBytes {
			break
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}
