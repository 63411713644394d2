package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// entry makes an entry of type message in which role says text.
func entry(id, parent string, role message.Role, text string) *session.Entry {
	return entryAt(id, parent, role, text, start)
}

func entryAt(id, parent string, role message.Role, text string, at time.Time) *session.Entry {
	m := codec.Encode(&message.Message{Role: role, Content: []message.Block{message.Text{Text: text}}, Time: at})
	return raw(fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":%s}`,
		id, quoteOrNull(parent), codec.FormatTime(at), m))
}

// setup makes an entry that does not make a session durable.
func setup(id, parent string) *session.Entry {
	return raw(fmt.Sprintf(`{"type":"model_change","id":%q,"parentId":%s,"timestamp":%q,"provider":"p","modelId":"m"}`,
		id, quoteOrNull(parent), codec.FormatTime(start)))
}

func raw(line string) *session.Entry {
	e, ok := session.ParseEntry([]byte(line))
	if !ok {
		panic("not an entry: " + line)
	}
	return e
}

// lineOf returns the line of an entry, or why it cannot be read.
func lineOf(e *session.Entry) string {
	line, err := e.Raw()
	if err != nil {
		return "no line: " + err.Error()
	}
	return string(line)
}

// textOf returns the text of an entry's message, or why it cannot be read.
func textOf(e *session.Entry) string {
	m, err := e.Message()
	if err != nil {
		return "no message: " + err.Error()
	}
	return m.Text("")
}

func quoteOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return fmt.Sprintf("%q", s)
}

func create(t *testing.T, s session.Store, h session.Header) session.Log {
	t.Helper()
	l, err := s.Create(context.Background(), h)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func reopen(t *testing.T, s session.Store, l session.Log, mode session.Mode) session.Log {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	r, err := s.Open(context.Background(), l.Ref(), mode)
	if err != nil {
		t.Fatalf("open %s: %v", l.Ref(), err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func add(t *testing.T, l session.Log, entries ...*session.Entry) {
	t.Helper()
	if foreign, err := l.Append(context.Background(), entries); err != nil || len(foreign) > 0 {
		t.Fatalf("append: %d foreign, %v", len(foreign), err)
	}
}

// path returns the ids from the leaf to the root.
func path(t *testing.T, l session.Log) []string {
	t.Helper()
	e, err := l.Leaf(context.Background())
	var ids []string
	for ; e != nil && err == nil; e, err = l.Parent(context.Background(), e) {
		ids = append(ids, e.ID)
	}
	if err != nil {
		t.Fatalf("path: %v", err)
	}
	return ids
}

// all returns the ids of all entries.
func all(t *testing.T, l session.Log) []string {
	t.Helper()
	var ids []string
	for e, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatalf("all: %v", err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
