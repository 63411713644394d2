package compaction_test

import (
	"bytes"
	"strings"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// tb is the part of a test that checks need: *testing.T and *rapid.T have it.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// moment is a session as it was before an attempt, for the comparison after it.
type moment struct {
	c      *compaction.Compactor
	policy timeline.Policy
	view   *timeline.View
	log    []byte
	pinned []string
	open   []string
}

// remember notes what a compaction must not change.
func remember(t tb, c *compaction.Compactor) *moment {
	t.Helper()
	v, err := c.View(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &moment{c: c, policy: timeline.Policy{Model: c.Model}}
	if m.policy.Target, err = c.Target(v, 0); err != nil { // large pins lift it above the threshold
		t.Fatal(err)
	}
	m.view = m.project(t)
	m.log, m.pinned, m.open = logBytes(t, c.Session), pinnedTexts(m.view), openTexts(m.view)
	return m
}

func (m *moment) project(t tb) *timeline.View {
	t.Helper()
	v, err := timeline.Project(ctx, m.c.Session, nil, m.policy)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// check fails the test if an attempt broke one of the invariants I1 to I8, I11
// and I12, and returns the new view, or nil if nothing was applied.
func (m *moment) check(t tb, out *compaction.Outcome) *timeline.View {
	t.Helper()
	log := logBytes(t, m.c.Session)
	if out.Status != compaction.Applied {
		if !bytes.Equal(m.log, log) {
			t.Fatalf("I7: %s (%s) changed the log", out.Status, out.Reason)
		}
		if out.Reason == "" {
			t.Fatalf("I7: %s without a reason", out.Status)
		}
		return nil
	}
	if !bytes.HasPrefix(log, m.log) {
		t.Fatal("I4: the log changed where it was")
	}
	after := m.project(t)
	m.checkShape(t, after)
	request := string(bytesOf(after))
	for _, text := range m.pinned {
		if !strings.Contains(request, text) {
			t.Fatalf("I8: a pinned text is gone: %q", text)
		}
	}
	for _, text := range m.open {
		if target := m.policy.Target; target > 0 && (tokens.Default{}).Text(text) > target/4-10 {
			continue // shown as head, tail and path
		}
		if !strings.Contains(request, text) {
			t.Fatalf("I8: the open request is gone: %q", text)
		}
	}
	for _, own := range []string{out.Summary, out.ShortSummary, string(must.Get(out.Entry.Raw()))} {
		if strings.Contains(own, plantedKey) {
			t.Fatal("I11: the planted key is in the summary or its details")
		}
	}
	return after
}

// checkShape is I1, I2, I3, I5 and I6.
func (m *moment) checkShape(t tb, after *timeline.View) {
	t.Helper()
	m.checkAccount(t, after)
	if err := history.Pairing(must.Get(after.Request(true)).Messages); err != nil {
		t.Fatalf("I2: %v", err)
	}
	if !bytes.Equal(bytesOf(after), bytesOf(m.project(t))) {
		t.Fatal("I3: projecting again gave another request")
	}
	size, was := must.Get(after.Size(tokens.Default{}, 0)).Estimated, must.Get(m.view.Size(tokens.Default{}, 0)).Estimated
	if target := m.policy.Target; target > 0 && size >= target {
		t.Fatalf("I5: %d tokens after, target %d", size, target)
	}
	if size >= was {
		t.Fatalf("I6: %d tokens before, %d after", was, size)
	}
}

// checkAccount is I1 and I12.
func (m *moment) checkAccount(t tb, v *timeline.View) {
	t.Helper()
	path, err := m.c.Session.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Account(path, v); err != nil {
		t.Fatalf("I1: %v", err)
	}
	if err := history.Unread(path, v); err != nil {
		t.Fatalf("I12: %v", err)
	}
}

// bytesOf is a view's request as bytes.
func bytesOf(v *timeline.View) []byte {
	r := must.Get(v.Request(true))
	out := []byte(r.System)
	for _, m := range r.Messages {
		out = append(append(out, '\n'), codec.Encode(m)...)
	}
	return out
}

// logBytes is the whole log.
func logBytes(t tb, s *session.Session) []byte {
	t.Helper()
	var out []byte
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, must.Get(e.Raw())...), '\n')
	}
	return out
}

func pinnedTexts(v *timeline.View) (out []string) {
	for _, it := range v.Items {
		if it.Pinned && it.Entry != nil {
			out = append(out, blocks(must.Get(it.Message()))...)
		}
	}
	return out
}

func openTexts(v *timeline.View) (out []string) {
	for _, it := range v.OpenRequest() {
		if !it.Request { // one that was shortened before stays as it is
			out = append(out, blocks(must.Get(it.Message()))...)
		}
	}
	return out
}

// blocks are a message's texts as they are in an encoded request, a result that
// goes out as text within a frame.
func blocks(m *message.Message) (out []string) {
	for _, b := range m.Content {
		if t, ok := b.(message.Text); ok && strings.TrimSpace(t.Text) != "" {
			enc := string(codec.EncodeContent([]message.Block{message.Text{Text: t.Text}}))
			out = append(out, enc[len(`[{"type":"text","text":"`):len(enc)-len(`"}]`)])
		}
	}
	return out
}
