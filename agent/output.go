package agent

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

// Limits of a tool result at its source (spec/pruning.md).
const (
	maxResultBytes = 50 << 10
	maxResultLines = 2000
)

// Shares of what is kept of a result that is too long: the head, the lines
// that look like errors, and the rest for the tail.
const (
	headShare  = 4 // a quarter
	errorShare = 8 // an eighth
)

// resultBytes is how long each of n results of one batch may be: the single
// limit, and together no more than half of the threshold, so that the newest
// results never fill the window by themselves. threshold is in tokens; 0: not
// known.
func resultBytes(n int, threshold int64) int {
	if threshold <= 0 || n <= 0 {
		return maxResultBytes
	}
	const bytesPerToken = 4
	return min(maxResultBytes, max(1024, int(threshold)*bytesPerToken/2/n))
}

// tooLong reports whether a text has to be cut.
func tooLong(text string, maxBytes int) bool {
	return len(text) > maxBytes || strings.Count(text, "\n") >= maxResultLines
}

// errorLine matches lines of tool output that tell what went wrong.
var errorLine = lazy.Regexp(`(?i)\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|undefined|cannot|denied|not found)\b`)

// cutOutput shortens a text that is too long: its head, lines from the middle
// that look like errors, its tail, and where the whole of it is. where may be
// empty.
func cutOutput(text string, maxBytes int, where string) string {
	lines := strings.SplitAfter(text, "\n")
	head, n := takeLines(lines, maxBytes/headShare, maxResultLines/headShare)
	tail, m := takeLast(lines[n:], maxBytes-maxBytes/headShare-maxBytes/errorShare, maxResultLines/2)
	middle := lines[n : len(lines)-m]
	errs := errorLines(middle, maxBytes/errorShare)

	var b strings.Builder
	b.WriteString(head)
	endLine(&b)
	fmt.Fprintf(&b, "[%d bytes of %d left out here", len(text)-len(head)-len(tail), len(text))
	if where != "" {
		fmt.Fprintf(&b, "; the whole output is in %s", where)
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

// takeLines takes lines from the front within both limits. Of a first line
// that is too long by itself a part is taken; it then does not count.
func takeLines(lines []string, maxBytes, maxLines int) (string, int) {
	var b strings.Builder
	for i, l := range lines {
		if i == maxLines || b.Len()+len(l) > maxBytes {
			if i == 0 {
				return message.CutHead(l, units(l, maxBytes)), 0
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
		return message.CutTail(l, units(l, maxBytes)), 0
	}
	return strings.Join(lines[len(lines)-n:], ""), n
}

// units is about how many UTF-16 units of s have max bytes.
func units(s string, max int) int {
	if len(s) <= max {
		return len(s)
	}
	return max * message.UTF16Len(s) / len(s)
}

// errorLines are the lines that look like errors, as many as fit.
func errorLines(lines []string, maxBytes int) string {
	const maxLine = 400
	var b strings.Builder
	for _, l := range lines {
		if !errorLine().MatchString(l) {
			continue
		}
		if l = strings.TrimRight(message.CutHead(l, maxLine), "\n"); b.Len()+len(l) >= maxBytes {
			break
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}
