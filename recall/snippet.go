package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/safetext"
)

// The length of a snippet, in UTF-16 units.
const (
	snippetBefore = 60
	snippetWhole  = 200
)

// snippet returns one line of text around an offset, cut between characters.
func snippet(text string, at int) string {
	before := safetext.CutTail(nearEnd(text[:at]), snippetBefore)
	from := at - len(before)
	shown := safetext.CutHead(text[from:], snippetWhole)
	line := strings.Join(strings.Fields(shown), " ")
	if from > 0 {
		line = "…" + line
	}
	if from+len(shown) < len(text) {
		line += "…"
	}
	return line
}

// nearEnd returns the end of a long text from a place that is certainly
// between characters, so that the whole text need not be walked.
func nearEnd(s string) string {
	const least, most = 512, 8192
	for i := len(s) - least; i > 0 && i > len(s)-most; i-- {
		// Between two ASCII characters there is always a border.
		if s[i-1] < utf8.RuneSelf && s[i] < utf8.RuneSelf && s[i-1] != '\r' {
			return s[i:]
		}
	}
	return s
}
