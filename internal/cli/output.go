package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/internal/terminal"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// json prints one JSON value on a line. It streams, because the value may be
// large.
func (a *app) json(v any) {
	a.printing.Lock()
	defer a.printing.Unlock()
	out := bufio.NewWriterSize(a.Out, 64<<10)
	err := json.MarshalWrite(terminal.Escapes(out), v, json.Deterministic(true), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		err = errors.Join(out.WriteByte('\n'), out.Flush())
	}
	if w, ok := a.Out.(*written); ok && err != nil {
		w.fail(err)
	}
}

// say prints for people.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.Out, format, args...) }

// clearLine clears the line of progress on standard error, if one can be shown.
func (a *app) clearLine() string {
	if !a.ErrTerminal {
		return ""
	}
	return a.term.ClearLine()
}

// warn prints a line to standard error.
func (a *app) warn(format string, args ...any) {
	clear := ""
	if a.lineShown.Load() {
		clear = a.clearLine()
	}
	fmt.Fprintf(a.Err, clear+"coppice: "+format+"\n", args...)
}

func join(items []string) string {
	const most = 8
	if len(items) > most {
		return strings.Join(items[:most], ", ") + fmt.Sprintf(" and %d more", len(items)-most)
	}
	return strings.Join(items, ", ")
}

// thousands prints a number with separators.
func thousands(n int64) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
