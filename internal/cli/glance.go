package cli

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/internal/glance"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/session"
)

// now is what a session is about at its end.
type now struct {
	line string // "": the end does not tell
	open *bool  // whether something is asked for that is not done; nil: not known
}

// nowAt says what a session is about at an entry.
func (a *app) nowAt(ctx context.Context, s *session.Session, at *session.Entry) (now, error) {
	st, err := glance.At(ctx, s, at, a.masker())
	if err != nil {
		return now{}, err
	}
	n := now{line: st.Line()}
	if len(st.Of(state.Request)) > 0 {
		n.open = new(st.CurrentRequest() != nil)
	}
	return n, nil
}

// nowOf says what a listed session is about. What cannot be read says nothing:
// the list is there all the same.
func (a *app) nowOf(ctx context.Context, st session.Store, ref string) now {
	log, err := st.Open(ctx, ref, session.Mode{})
	if err != nil {
		return now{}
	}
	defer log.Close()
	s := session.New(log, session.Options{Now: a.Now})
	leaf, err := s.Leaf(ctx)
	if err != nil {
		return now{}
	}
	n, err := a.nowAt(ctx, s, leaf)
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
