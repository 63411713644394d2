package cli

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/session"
)

// now is what a session is about at its end.
type now struct {
	line string // "": the end does not tell
	open *bool  // whether something is asked for that is not done; nil: not known
}

// nowAt says what a session is about at an entry; nil: at the leaf.
func nowAt(ctx context.Context, s *coppice.Session, at *session.Entry) (now, error) {
	st, err := s.Glance(ctx, at)
	if err != nil {
		return now{}, err
	}
	n := now{line: st.Line()}
	if len(st.Of("request")) > 0 {
		n.open = new(st.CurrentRequest() != nil)
	}
	return n, nil
}

// nowOf says what a listed session is about. What cannot be read says nothing:
// the list is there all the same.
func (a *app) nowOf(ctx context.Context, st session.Store, ref string) now {
	s, err := coppice.OpenIn(ctx, st, ref, coppice.Options{ReadOnly: true, Mask: a.masker(), Now: a.Now})
	if err != nil {
		return now{}
	}
	defer s.Close()
	n, err := nowAt(ctx, s, nil)
	if err != nil {
		return now{}
	}
	return n
}

// sayNow prints what a session is about.
func (a *app) sayNow(n now, indent string, width int) {
	if n.line == "" {
		return
	}
	word, line := "", n.line
	switch {
	case n.open == nil:
	case *n.open:
		word = "open  "
	default:
		word, line = "done  ", strings.Replace(line, " (done)", "", 1)
	}
	a.say("%s%s%s\n", indent, a.paint(dim, word), short(line, width))
}
