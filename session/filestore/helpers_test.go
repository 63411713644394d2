package filestore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/session"
)

var bg = context.Background()

const testHeader = `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/srv/p"}`

// line writes an entry; even ids are the user's, odd ones the assistant's.
func line(id, parent string) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"text %s é한🏷"}],"timestamp":1}}`, id, p, id)
}

// chain returns a header and n entries, e0 to e<n-1>, each under the one before.
func chain(n int) []string {
	lines := []string{testHeader}
	for i := range n {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf("e%d", i-1)
		}
		lines = append(lines, line(fmt.Sprintf("e%d", i), parent))
	}
	return lines
}

func text(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// write puts a file into its own folder.
func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func open(t testing.TB, path string, mode session.Mode) *openLog {
	t.Helper()
	l, err := newStore(filepath.Dir(path), Options{}).Open(bg, path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.(*openLog)
}

// path returns the ids from the root to the leaf.
func path(t testing.TB, l session.Log) []string {
	t.Helper()
	e, err := l.Leaf(bg)
	var ids []string
	for ; e != nil && err == nil; e, err = l.Parent(bg, e) {
		ids = append([]string{e.ID}, ids...)
		if len(ids) > 10_000 {
			t.Fatal("the path does not end")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func all(t testing.TB, l session.Log) []string {
	t.Helper()
	var ids []string
	for e, err := range l.All(bg) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

// kindsOf lists problems as kind@line, all of them.
func kindsOf(t testing.TB, l session.Log) []string {
	t.Helper()
	problems, err := l.Problems(bg, true)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range problems {
		if p.Detail == "" {
			t.Errorf("problem without words: %+v", p)
		}
		out = append(out, fmt.Sprintf("%s@%d", p.Kind, p.Line))
	}
	return out
}

// entry makes an entry that the user said.
func entry(id, parent string) *session.Entry {
	e, ok := session.ParseEntry([]byte(line(id, parent)))
	if !ok {
		panic("not an entry")
	}
	return e
}

func words(s string) []string { return strings.Fields(s) }
