package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

func texts(items []*Item) string {
	var out []string
	for _, it := range items {
		out = append(out, it.Text)
	}
	return strings.Join(out, " ")
}

func TestLiving(t *testing.T) {
	f := newFolder(Options{})
	items := map[string]*Item{}
	for _, name := range []string{"a", "b", "c"} {
		items[name] = f.make(Item{Kind: Task, Key: name, Text: name, Life: Open})
	}
	f.make(Item{Kind: Rule, Key: "r", Text: "r", Life: InForce})
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "c b a"},
		{func() { f.end(items["b"], Done, "") }, "c a"},
		{func() { f.end(items["a"], Done, ""); f.held.drop(Task) }, "c"},
		{func() { f.reopen(items["b"], Open) }, "c b"},
		{func() { f.reopen(items["a"], Open); f.reopen(items["b"], Doing) }, "c b a"},
	} {
		if step.do(); texts(f.living(Task)) != step.want {
			t.Errorf("living tasks: %s, want %s", texts(f.living(Task)), step.want)
		}
	}
	if got := texts(f.held.newest(Task, 2)); got != "c b" {
		t.Errorf("the two newest: %s", got)
	}
	if got := texts(f.living(Question)); got != "" {
		t.Errorf("questions: %s", got)
	}
}

// TestLongSession folds more answers and rules than are ever compared: what is
// remembered of their words is bounded, and nothing of them is lost.
func TestLongSession(t *testing.T) {
	const n = 2 * maxMemo
	var all []ledger.Source
	say := func(m *message.Message) {
		all = append(all, ledger.Source{EntryID: fmt.Sprintf("e%d", len(all)), Message: m})
	}
	for i := range n {
		say(message.User(fmt.Sprintf("Never touch server%d.", i)))
		say(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: []message.Block{
			message.Text{Text: fmt.Sprintf("The cause in part%d was a broken cable%d.", i, i)}}})
	}
	f := newFolder(Options{})
	f.bind(all)
	for i, src := range indexed(all) {
		f.at, f.entry = i, src.EntryID
		f.message(src.Message, readWords(src.Message, f.opts.Mask))
	}
	for name, have := range map[string]int{"bags": len(f.memo.bags), "rules": len(f.memo.rules), "numbers": len(f.memo.nums)} {
		if have > maxMemo {
			t.Errorf("%d %s are remembered, at most %d may be", have, name, maxMemo)
		}
	}
	s := f.state()
	if rules, findings := len(s.Living(Rule)), len(s.Living(Finding)); rules != n || findings != n {
		t.Errorf("%d rules and %d findings, want %d of both", rules, findings, n)
	}
	f.at, f.entry = n, "again"
	f.message(message.User("Never touch server7."), readWords(message.User("Never touch server7."), f.opts.Mask))
	if s := f.state(); len(s.Of(Rule)) != n {
		t.Errorf("a rule far back was said again: %d rules, want %d", len(s.Of(Rule)), n)
	}
}

func TestConclusionOfOneEndlessSentence(t *testing.T) {
	s := Fold([]ledger.Source{
		{EntryID: "a", Message: message.User("Print the words.")},
		{EntryID: "b", Message: &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: strings.Repeat("word ", 5000)}}}},
	}, Options{})
	found := s.Living(Finding)
	if len(found) != 1 || len(utf16.Encode([]rune(found[0].Text))) > maxFinding || !strings.HasPrefix(found[0].Text, "word word") {
		t.Errorf("findings: %d, %.60q", len(found), texts(found))
	}
}

// A fold ends soon after its context has, and says why.
func TestFoldEndsWithItsContext(t *testing.T) {
	var all []ledger.Source
	for i := range 2000 {
		all = append(all, ledger.Source{EntryID: fmt.Sprintf("e%d", i), Message: message.User(fmt.Sprintf("Never touch server%d.", i))})
	}
	why := errors.New("the user has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	after := 0
	mask := func(s string) string {
		if strings.Contains(s, "server100.") {
			cancel(why)
		}
		if ctx.Err() != nil {
			after++
		}
		return s
	}
	at, end, err := FoldAt(ctx, all, 5, Options{Mask: mask})
	if at != nil || end != nil || !errors.Is(err, why) {
		t.Errorf("%v, %v, %v", at, end, err)
	}
	if most := 30 * lookAfter; after > most {
		t.Errorf("%d texts were masked after the end, at most %d may be", after, most)
	}
	s := Fold(all[:100], Options{})
	text := NewText("## Constraints\n- Never touch server5.")
	if cov := text.Cover(ctx, s, nil); len(cov) != 1 || cov["request"].Facts != 0 {
		t.Errorf("coverage: %v", cov)
	}
	if lost := text.Missing(ctx, s, nil); len(lost) != 0 {
		t.Errorf("%d items are missing", len(lost))
	}
}
