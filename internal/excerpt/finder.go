package excerpt

import (
	"regexp"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// lineFinder finds lines by what they say. Few lines hold one of the words, and
// only those are matched.
type lineFinder struct {
	words func(line string) bool
	expr  func() *regexp.Regexp
}

var (
	// errorLine finds lines of tool output that tell what went wrong.
	errorLine = lineFinder{
		words: lazy.AnyOf("error", "exception", "fail", "fatal", "panic", "traceback", "undefined", "unresolved", "cannot", "can't", "could", "unable",
			"denied", "refused", "rejected", "not found", "not defined", "not exist", "no such", "invalid", "timed out", "time out", "timeout", "killed", "abort", "segmentation",
			"core dumped", "conflict", "e   ", "not ok", "✗", "✖", "✕", "❌"),
		expr: lazy.Regexp(`(?i)(?:error|exception)s?\b|\bfail(?:ed|ures?|s|ing)?\b|\bfatal\b|\bpanic\b|traceback|\bundefined\b|\bunresolved\b|` +
			`\bcannot\b|\bcan't\b|\bcould(?: not|n't)\b|\bunable to\b|\bdenied\b|\brefused\b|\brejected\b|not (?:found|defined|exist)|no such|` +
			`\binvalid\b|\btimed? ?out\b|\bkilled\b|\babort(?:ed)?\b|segmentation fault|core dumped|\bconflict\b|^\s*(?:E\s{3}|not ok\b|[✗✖✕❌])`),
	}
	// exitLine finds lines that tell how a command ended.
	exitLine = lineFinder{
		words: lazy.AnyOf("exit", "returncode", "signal", "code "),
		expr:  lazy.Regexp(`(?i)\bexit(?:ed|_code)?\b.{0,20}\d|<returncode>|exit status|\bsignal\b.{0,12}\d|\bcode \d`),
	}
)

// find returns where in a line the match is, or -1.
func (t lineFinder) find(line string) int {
	if !t.words(line) {
		return -1
	}
	if at := t.expr().FindStringIndex(line); at != nil {
		return at[0]
	}
	return -1
}

func tellsError(line string) bool { return errorLine.find(line) >= 0 }
