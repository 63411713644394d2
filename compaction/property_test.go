package compaction_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/history"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"pgregory.net/rapid"
)

// plantedKey is a secret that no summary may hold (invariant I11).
const plantedKey = "AKIAIOSFODNN7ABCDEFG"

func mask() func(string) string {
	m, err := secret.New(nil)
	if err != nil {
		panic(err)
	}
	return m.Mask
}

func extractor(s *session.Session, window int64) *compaction.Compactor {
	return &compaction.Compactor{Session: s, Summarizer: &summarize.Ladder{Extract: true, Mask: mask()}, Settings: compaction.Defaults(),
		Model: message.Model{Window: window, MaxOutput: 8192}, Mask: mask(), Ledger: ledger.Options{Mask: mask()}}
}

// bytesOf is a view's request as bytes.
func bytesOf(v *timeline.View) []byte {
	r := v.Request(true)
	out := []byte(r.System)
	for _, m := range r.Messages {
		out = append(append(out, '\n'), message.Encode(m)...)
	}
	return out
}

// logBytes is the whole log.
func logBytes(t *rapid.T, s *session.Session) []byte {
	var out []byte
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, e.Raw...), '\n')
	}
	return out
}

// Invariants I1 to I8 over drawn histories that are compacted, edited, pinned
// and undone again and again.
func TestCompactionKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		c := extractor(s, rapid.SampledFrom([]int64{0, 8192, 32768, 200_000}).Draw(t, "window"))
		d := history.New(t, s)
		d.Secret(plantedKey)
		for range rapid.IntRange(1, 4).Draw(t, "stages") {
			d.Turns(rapid.IntRange(2, 8).Draw(t, "turns"))
			if rapid.IntRange(0, 2).Draw(t, "marked") == 0 {
				d.Marks(rapid.IntRange(1, 3).Draw(t, "marks"))
			}
			compactOnce(t, c, d)
		}
	})
}

func compactOnce(t *rapid.T, c *compaction.Compactor, d *history.Drawer) {
	s := c.Session
	target := c.Settings.Threshold(c.Model.Window)
	policy := timeline.Policy{Model: c.Model, Target: target}
	before, err := timeline.Project(ctx, s, nil, policy)
	if err != nil {
		t.Fatal(err)
	}
	pinned := pinnedTexts(before)
	open := openTexts(before)
	logBefore := logBytes(t, s)
	keep := int64(rapid.SampledFrom([]int{1, 50, 400, 3000}).Draw(t, "keep"))
	trigger := rapid.SampledFrom([]compaction.Trigger{compaction.Manual, compaction.Threshold, compaction.Overflow}).Draw(t, "trigger")
	out, err := c.Compact(ctx, compaction.Request{Trigger: trigger, Keep: &keep})
	if err != nil {
		t.Fatal(err)
	}
	logAfter := logBytes(t, s)
	if out.Status != compaction.Applied { // I7
		if !bytes.Equal(logBefore, logAfter) {
			t.Fatalf("I7: %s (%s) changed the log", out.Status, out.Reason)
		}
		if out.Reason == "" {
			t.Fatalf("I7: %s without a reason", out.Status)
		}
		return
	}
	if !bytes.HasPrefix(logAfter, logBefore) {
		t.Fatal("I4: the log changed where it was")
	}
	path, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := timeline.Project(ctx, s, nil, policy)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Account(path, after); err != nil {
		t.Fatalf("I1: %v", err)
	}
	if err := history.Pairing(after.Request(true).Messages); err != nil {
		t.Fatalf("I2: %v", err)
	}
	size := after.Size(tokens.Default{}, 0)
	if target > 0 && size.Estimated >= target {
		t.Fatalf("I5: %d tokens after, target %d", size.Estimated, target)
	}
	if was := before.Size(tokens.Default{}, 0).Estimated; size.Estimated >= was {
		t.Fatalf("I6: %d tokens before, %d after", was, size.Estimated)
	}
	request := string(bytesOf(after))
	for _, text := range pinned { // I8
		if !strings.Contains(request, text) {
			t.Fatalf("I8: a pinned text is gone: %q", text)
		}
	}
	for _, text := range open {
		if target > 0 && (tokens.Default{}).Text(text) > target/4-10 {
			continue // shown as head, tail and path
		}
		if !strings.Contains(request, text) {
			t.Fatalf("I8: the open request is gone: %q", text)
		}
	}
	for _, own := range []string{out.Summary, string(out.Entry.Raw)} { // I11
		if strings.Contains(own, plantedKey) {
			t.Fatal("I11: the planted key is in the summary or its details")
		}
	}
	again, err := timeline.Project(ctx, s, nil, policy)
	if err != nil || !bytes.Equal(bytesOf(after), bytesOf(again)) {
		t.Fatalf("I3: projecting again gave another request (%v)", err)
	}
	if rapid.IntRange(0, 3).Draw(t, "undo") == 0 {
		undoOnce(t, c, policy, before)
	}
}

// undoOnce: the next view is that of the same path without the compaction,
// less thinking that was signed in between.
func undoOnce(t *rapid.T, c *compaction.Compactor, policy timeline.Policy, before *timeline.View) {
	u, err := c.Undo(ctx)
	if err != nil || u.Status != compaction.Applied {
		t.Fatalf("undo: %v %v", u, err)
	}
	v, err := timeline.Project(ctx, c.Session, nil, policy)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(before), bytesOf(v)) {
		t.Fatalf("undo gave another request:\n%s\n---\n%s", bytesOf(before), bytesOf(v))
	}
}

func pinnedTexts(v *timeline.View) (out []string) {
	for _, it := range v.Items {
		if it.Pinned && it.Entry != nil {
			out = append(out, blocks(it.Message)...)
		}
	}
	return out
}

func openTexts(v *timeline.View) (out []string) {
	for _, it := range v.OpenRequest() {
		if !it.Request { // one that was shortened before stays as it is
			out = append(out, blocks(it.Message)...)
		}
	}
	return out
}

// blocks are a message's texts as they stand in an encoded request.
func blocks(m *message.Message) (out []string) {
	for _, b := range m.Content {
		if t, ok := b.(message.Text); ok && strings.TrimSpace(t.Text) != "" {
			enc := string(message.EncodeContent([]message.Block{message.Text{Text: t.Text}}))
			out = append(out, enc[1:len(enc)-1])
		}
	}
	return out
}
