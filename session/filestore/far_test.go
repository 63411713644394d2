package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// openFar opens a session so that nothing that is read from it stays in memory.
func openFar(t *testing.T, path string) *openLog {
	t.Helper()
	s := newStore(filepath.Dir(path), Options{})
	s.keep = 0
	l, err := s.Open(bg, path, session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.(*openLog)
}

func TestFar(t *testing.T) {
	lines := chain(3)
	l := openFar(t, write(t, text(lines...)))
	e, err := l.Leaf(bg)
	for i := 2; i >= 0; i-- {
		if err != nil || e == nil {
			t.Fatalf("entry %d: %v", i, err)
		}
		if m := e.Meta(); m.Role != message.RoleUser || !m.Shows {
			t.Errorf("entry %d: %+v", i, m)
		}
		if string(must.Get(e.Raw())) != lines[i+1] || must.Get(e.Message()).Text("") != fmt.Sprintf("text e%d é한🏷", i) {
			t.Errorf("entry %d: %s", i, must.Get(e.Raw()))
		}
		if m := must.Get(e.Message()); m != must.Get(e.Message()) {
			t.Errorf("entry %d is decoded again at once", i)
		}
		e, err = l.Parent(bg, e)
	}
	if _, err := l.Append(bg, []*session.Entry{entry("n", "e2")}); err != nil {
		t.Error(err)
	}
}

// If another program changes the file in place, reading what is gone is an error,
// and nothing is appended to the new content.
func TestFarLost(t *testing.T) {
	lines := chain(3)
	call := `{"type":"message","id":"c","parentId":"e2","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":` +
		`[{"type":"toolCall","id":"t1","name":"read","arguments":{"path":"a"}}],"stopReason":"toolUse","provider":"p","model":"m"}}`
	whole := text(append(lines, call)...)
	for name, change := range map[string]func(path string) error{
		"cut":       func(p string) error { return os.Truncate(p, int64(len(lines[0]))) },
		"rewritten": func(p string) error { return os.WriteFile(p, []byte(strings.ReplaceAll(whole, `"c"`, `"d"`)), 0o600) },
		"damaged": func(p string) error {
			return os.WriteFile(p, []byte(strings.ReplaceAll(whole, `"arguments":{`, `"arguments":[`)), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := write(t, whole)
			l := openFar(t, p)
			e, err := l.Leaf(bg)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(p); err != nil {
				t.Fatal(err)
			}
			if m, err := e.Message(); m != nil || err == nil || name != "cut" && !errors.Is(err, session.ErrReplaced) {
				t.Errorf("%+v, %v", m, err)
			}
			if raw, err := e.Raw(); raw != nil || err == nil {
				t.Errorf("%s, %v", raw, err)
			}
			if m := e.Meta(); len(m.Calls) != 1 || m.Calls[0].ID != "t1" {
				t.Errorf("%+v", m)
			}
			if _, err := l.Append(bg, []*session.Entry{entry("n", "c")}); err == nil || name != "cut" && !errors.Is(err, session.ErrReplaced) {
				t.Errorf("an append says %v", err)
			}
		})
	}
}

// Bytes that can no longer be read are an error for everything that needs them,
// in each step from the view to the request: no step invents a message.
func TestFarLostInAView(t *testing.T) {
	content := `"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("AAAA", 50) + `"}]`
	lines := append(chain(2), `{"type":"message","id":"i","parentId":"e1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user",`+content+`}}`)
	path := write(t, text(lines...))
	s := session.New(openFar(t, path), session.Options{})
	v := must.Get(timeline.Project(bg, s, nil, timeline.Policy{}))
	size := must.Get(v.Size(tokens.Default{}, 0))
	if err := os.Truncate(path, int64(len(lines[0]))); err != nil {
		t.Fatal(err)
	}
	if again, err := v.Size(tokens.Default{}, 0); err == nil && again.Estimated != size.Estimated {
		t.Errorf("%+v, and %+v when the file was whole", again, size)
	}
	if r, err := v.Request(true); err == nil {
		t.Errorf("a request of %d messages", len(r.Messages))
	}
	for i := range v.Items {
		if m, err := v.Items[i].Message(); err == nil || m != nil {
			t.Errorf("item %d: %+v, %v", i, m, err)
		}
	}
}

// Tokens of messages that are read again are those of messages that were
// counted while they were read, which cannot fail.
func TestFarTokens(t *testing.T) {
	for _, counted := range []bool{false, true} {
		p := write(t, text(chain(3)...))
		l := openFar(t, p)
		if counted {
			l.CountTokens()
		}
		e := must.Get(l.Leaf(bg))
		want := tokens.Default{}.ByClass(must.Get(e.Message()))
		if got, err := e.Tokens(""); got != want || err != nil {
			t.Errorf("counted %v: %+v, want %+v, error %v", counted, got, want, err)
		}
		before := must.Get(l.Parent(bg, e))
		if err := os.Truncate(p, 0); err != nil {
			t.Fatal(err)
		}
		if got, err := e.Tokens(""); got != want || err != nil {
			t.Errorf("counted %v: it is counted again: %+v, %v", counted, got, err)
		}
		if got, err := before.Tokens(""); (err == nil) != counted || counted && got == (calibration.Counts{}) {
			t.Errorf("counted %v, and the file is gone: %+v, %v", counted, got, err)
		}
	}
}
