package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/session"
)

// Text is the text of an entry, or some of its lines.
type Text struct {
	EntryID string
	Path    string // "en:" and the whole id
	Role    string // "": the entry has no message
	From    int    // first line of Text, from 1
	To      int    // last line of Text
	Total   int    // lines of the whole entry; at least 1
	Text    string // lines From to To joined by LF
}

// RangeError says that an entry does not have the requested lines.
type RangeError struct {
	Path            string
	From, To, Total int // To is 0 for the last line
}

func (e *RangeError) Error() string {
	if e.From > e.Total {
		return fmt.Sprintf("%s ends with line %d", e.Path, e.Total)
	}
	return fmt.Sprintf("lines %d to %d end before they begin", e.From, e.To)
}

// Read returns lines from to to, counted from 1, of an entry's text
// (entryText). path is "en:" and the id of the entry, or the id alone, or a
// prefix that only one id begins with. from below 1 means the first line; to
// below 1 or after the last line means the last line. The error wraps
// session.ErrNotFound, or is a *session.AmbiguousError or a *RangeError.
func Read(ctx context.Context, log session.Log, path string, from, to int) (Text, error) {
	e, err := find(ctx, log, strings.TrimPrefix(path, "en:"))
	if err != nil {
		return Text{}, err
	}
	text, err := entryText(e)
	if err != nil {
		return Text{}, err
	}
	t := Text{EntryID: e.ID, Path: "en:" + e.ID, Role: roleOf(e), Total: strings.Count(text, "\n") + 1}
	t.From = max(from, 1)
	if t.To = to; to < 1 || to > t.Total {
		t.To = t.Total
	}
	if t.From > t.Total || t.From > t.To {
		return Text{}, &RangeError{Path: t.Path, From: t.From, To: max(to, 0), Total: t.Total}
	}
	t.Text = lines(text, t.From, t.To)
	return t, nil
}

// lines returns the lines from to to of a text, which has them.
func lines(text string, from, to int) string {
	start := 0
	for range from - 1 {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	end := start
	for range to - from + 1 {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			return text[start:]
		}
		end += n + 1
	}
	return text[start : end-1]
}

// find returns the entry with an id, or the only one whose id begins with it.
func find(ctx context.Context, log session.Log, id string) (*session.Entry, error) {
	e, err := log.Find(ctx, id, -1)
	if err == nil || !errors.Is(err, session.ErrNotFound) {
		return e, err
	}
	if id == "" {
		return nil, err
	}
	var found *session.Entry
	var names []string
	seen := map[string]bool{}
	for e, err := range log.All(ctx) {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(e.ID, id) && !seen[e.ID] {
			found, names = e, append(names, e.ID)
			seen[e.ID] = true
		}
	}
	switch len(names) {
	case 0:
		return nil, fmt.Errorf("entry %q: %w", id, session.ErrNotFound)
	case 1:
		return found, nil
	}
	return nil, &session.AmbiguousError{Prefix: id, Candidates: names}
}
