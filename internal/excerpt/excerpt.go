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

// Fit shortens a text to about so many tokens, as size counts them, as Cut does.
func Fit(text string, limit int64, size func(string) int64, where string) string {
	all := size(text)
	if all <= limit {
		return text
	}
	frame := size(note(len(text), len(text), where) + errorsFollow + endFollows)
	room := max(limit-frame, limit/2, 1)
	// What stays may be denser than the rest.
	n := int(float64(len(text)) * float64(room) / float64(all))
	for range 2 {
		head, tail := n/headShare, n-n/headShare
		ends := strings.ToValidUTF8(text[:head]+text[len(text)-tail:], "")
		n = min(int(float64(n)*float64(room)/float64(max(size(ends), 1))), len(text))
	}
	return Cut(text, n, 0, where)
}

// What is put between the parts of a text that was shortened.
const (
	errorsFollow = "[lines from there that look like errors:]\n"
	endFollows   = "[the end:]\n"
)

func note(left, of int, where string) string {
	if where != "" {
		where = "; " + where
	}
	return fmt.Sprintf("[%d bytes of %d left out here%s]\n", left, of, where)
}

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
	b.WriteString(note(len(text)-len(head)-len(tail), len(text), where))
	if errs != "" {
		b.WriteString(errorsFollow + errs)
		endLine(&b)
		b.WriteString(endFollows)
	}
	b.WriteString(tail)
	return b.String()
}

func endLine(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
}

// takeLines takes lines from the front within both limits. If they leave most of
// the bytes unused, a part of the next line is taken too, and it does not count.
func takeLines(lines []string, maxBytes, maxLines int) (string, int) {
	size, n := 0, 0
	for n < len(lines) && n < maxLines && size+len(lines[n]) <= maxBytes {
		size += len(lines[n])
		n++
	}
	taken := strings.Join(lines[:n], "")
	if n < len(lines) && (n == 0 || n < maxLines && size < maxBytes/2) {
		taken += headOf(lines[n], maxBytes-size)
	}
	return taken, n
}

// takeLast takes lines from the end within both limits, like takeLines.
func takeLast(lines []string, maxBytes, maxLines int) (string, int) {
	size, n := 0, 0
	for n < len(lines) && n < maxLines && size+len(lines[len(lines)-1-n]) <= maxBytes {
		size += len(lines[len(lines)-1-n])
		n++
	}
	taken := strings.Join(lines[len(lines)-n:], "")
	if n < len(lines) && (n == 0 || n < maxLines && size < maxBytes/2) {
		taken = tailOf(lines[len(lines)-1-n], maxBytes-size) + taken
	}
	return taken, n
}

// headOf is the beginning of a line, of about so many bytes.
func headOf(line string, maxBytes int) string {
	near := strings.ToValidUTF8(line[:min(len(line), 2*maxBytes)], "") // a line may be very long
	return safetext.CutHead(near, units(near, maxBytes))
}

// tailOf is the end of a line, of about so many bytes.
func tailOf(line string, maxBytes int) string {
	near := strings.ToValidUTF8(line[max(0, len(line)-2*maxBytes):], "")
	return safetext.CutTail(near, units(near, maxBytes))
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
	var of teller
	for _, l := range lines {
		if of.find(l) < 0 {
			continue
		}
		if l = strings.TrimRight(safetext.CutHead(l, maxLine), "\n"); b.Len()+len(l) >= maxBytes {
			break
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}
