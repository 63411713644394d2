package coppice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
)

// shown lists what the model sees: the entries, and their texts.
func shown(t *testing.T, s *coppice.Session) (ids, texts []string) {
	t.Helper()
	for _, it := range must.Get(s.View(t.Context())).Items {
		ids = append(ids, it.Entry.ID)
		texts = append(texts, must.Get(it.Message()).Text(""))
	}
	return ids, texts
}

// A session of format 1, which has no ids, is compacted and uncompacted like any
// other: its entries keep the ids that were derived for them, what is undone
// looks as before, and the old file stays as it is.
func TestCompactAFileOfFormat1(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.jsonl")
	lines := []string{`{"type":"session","id":"v1","timestamp":"2025-12-09T00:53:29.825Z","cwd":"/srv/p","provider":"p","modelId":"m","thinkingLevel":"off"}`}
	for i := range 20 {
		lines = append(lines,
			fmt.Sprintf(`{"type":"message","timestamp":"2025-12-09T00:00:00.000Z","message":{"role":"user","content":"Question %d. %s"}}`, i, strings.Repeat("It is about the service. ", 80)),
			fmt.Sprintf(`{"type":"message","timestamp":"2025-12-09T00:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Answer %d. %s"}],"provider":"p","model":"m","stopReason":"stop"}}`, i, strings.Repeat("It keeps what it was told. ", 80)))
	}
	content := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *coppice.Session {
		s := must.Get(coppice.Open(t.Context(), file, coppice.Options{Facts: message.Model{Window: 32_000}}))
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open()
	ids, texts := shown(t, s)
	if len(ids) != 40 || !strings.HasPrefix(texts[39], "Answer 19. It keeps") {
		t.Fatalf("%d items, the last %.40q", len(ids), texts[len(texts)-1])
	}
	keep := int64(2_000)
	out := must.Get(s.Compact(t.Context(), compaction.Request{Keep: &keep}))
	if out.Status != compaction.Applied || out.Plan.FirstKept == nil || !slices.Contains(ids, out.Plan.FirstKept.ID) {
		t.Fatalf("%+v", out)
	}
	kept, _ := shown(t, s)
	if n := len(kept); n < 2 || n > 20 || kept[0] != out.Entry.ID || !slices.Equal(kept[1:], ids[len(ids)-n+1:]) {
		t.Errorf("after the compaction: %q, want the last ones of %q", kept, ids)
	}
	if s.Ref() == file {
		t.Error("the old file is written to")
	}
	must.Get(0, s.Close())

	s = open() // finds where the session goes on
	if again, _ := shown(t, s); !slices.Equal(again, kept) {
		t.Errorf("reopened: %q, want %q", again, kept)
	}
	if u := must.Get(s.Uncompact(t.Context())); u.Status != compaction.Applied {
		t.Fatalf("%+v", u)
	}
	back, words := shown(t, s)
	if !slices.Equal(back, ids) || !slices.Equal(words, texts) {
		t.Errorf("after the undo: %q, want %q", back, ids)
	}
	if path := must.Get(s.Path(t.Context(), nil)); len(path) < 42 || path[0].ID != ids[0] || path[39].ID != ids[39] {
		t.Errorf("%d entries on the path", len(path))
	}
	if now := must.Get(os.ReadFile(file)); string(now) != content {
		t.Error("the old file has changed")
	}
}
