package compaction_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// The summary names what was left, holds its facts and files, and has the label.
func TestBranchSummaryHoldsTheBranch(t *testing.T) {
	s := garden(t)
	n, err := extractor(s, 200_000).Navigate(ctx, compaction.Navigation{Target: "r4", Summarize: new(true), Label: "back"})
	if err != nil || n.Status != compaction.Applied {
		t.Fatalf("%+v %v", n, err)
	}
	b := n.Summary.BranchSummary()
	if b.FromID != "a3" || n.Summary.ParentID != "r4" || b.FromHook {
		t.Errorf("from %s, parent %s, by a hook %v", b.FromID, n.Summary.ParentID, b.FromHook)
	}
	for _, want := range []string{"another branch", "Never change the API of package ast", "<modified-files>\nlexer.go", "<read-files>\nparser.go"} {
		if !strings.Contains(b.Summary, want) {
			t.Errorf("%q is not in\n%s", want, b.Summary)
		}
	}
	if !slices.Equal(b.ReadFiles, []string{"parser.go"}) || !slices.Equal(b.ModifiedFiles, []string{"lexer.go"}) {
		t.Errorf("files %v %v", b.ReadFiles, b.ModifiedFiles)
	}
	if labels, _ := s.Labels(ctx); labels[n.Summary.ID] != "back" {
		t.Errorf("labels %v", labels)
	}
	if ids := strings.Join(path(t, s), " "); ids != "u1 a1 u4 a4 r4 branch_summary label" {
		t.Error(ids)
	}
	// Going back from here: the summary of a branch that contains this one knows
	// its facts and files.
	if n, err = extractor(s, 200_000).Navigate(ctx, compaction.Navigation{Target: "a3", Summarize: new(true)}); err != nil || n.Summary == nil {
		t.Fatalf("%+v %v", n, err)
	}
	b = n.Summary.BranchSummary()
	if !slices.Equal(b.ReadFiles, []string{"old.go", "parser.go"}) || !slices.Equal(b.ModifiedFiles, []string{"lexer.go"}) {
		t.Errorf("nested files %v %v", b.ReadFiles, b.ModifiedFiles)
	}
	held := state.Decode(rawjson.Get(rawjson.Get(b.Details, "coppice"), "state"))
	if rules := held.Living(state.Rule); len(rules) != 1 {
		t.Errorf("rules %v", rules)
	}
}

// Messages of a hundred tokens each, a budget, and which of them are taken, as in
// pi 1.6.0, except that ours folds the rest instead of dropping it.
func TestBranchBudget(t *testing.T) {
	text := strings.Repeat("abcd", 100)
	plain := func(s *session.Session, n int) {
		for i := range n {
			grow(t, s, leafID(t, s), userDraft(fmt.Sprintf("m%d", i), text))
		}
	}
	tests := []struct {
		name           string
		first          session.Draft // before the messages; none: no type
		messages       int
		budget, tokens int64
		recent, folded int
	}{
		{"the last two", session.Draft{}, 5, 250, 200, 2, 3},
		{"no limit", session.Draft{}, 5, 0, 500, 5, 0},
		{"exactly", session.Draft{}, 5, 500, 500, 5, 0},
		{"a summary at the edge, under 90 %", session.BranchSummaryDraft(&session.BranchSummary{Summary: strings.Repeat(text, 10)}), 5, 600, 1500, 6, 0},
		{"a summary at the edge, above 90 %", session.BranchSummaryDraft(&session.BranchSummary{Summary: strings.Repeat(text, 10)}), 5, 510, 500, 5, 1},
		{"one message larger than the budget", session.Draft{}, 1, 50, 0, 1, 0},
	}
	for _, tt := range tests {
		s := emptySession(t)
		if tt.first.Type != "" {
			grow(t, s, "", tt.first)
		}
		plain(s, tt.messages)
		left, err := s.Path(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := must.Get(compaction.PlanBranch(left, tt.budget, tokens.Plain{}))
		if len(p.Recent) != tt.recent || len(p.Folded) != tt.folded || p.Tokens != tt.tokens {
			t.Errorf("%s: %d recent with %d tokens, %d folded, want %d, %d, %d", tt.name, len(p.Recent), p.Tokens, len(p.Folded), tt.recent, tt.tokens, tt.folded)
		}
	}
}

func leafID(t tb, s *session.Session) string {
	t.Helper()
	leaf, err := s.Leaf(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if leaf == nil {
		return ""
	}
	return leaf.ID
}

// What is older than the budget is summarized first and updated by the rest;
// what a compaction of the branch covers is not summarized twice.
func TestBranchFoldsWhatDoesNotFit(t *testing.T) {
	s := emptySession(t)
	grow(t, s, "", userDraft("root", "Begin."))
	for i := range 40 {
		grow(t, s, leafID(t, s), userDraft(fmt.Sprintf("m%d", i), strings.Repeat("abcd", 1000)))
	}
	a := &recorder{}
	c := &compaction.Compactor{Session: s, Summarizer: a, Settings: compaction.Settings{}, Model: message.Model{Window: 48_000}, Estimator: tokens.Plain{}}
	n, err := c.Navigate(ctx, compaction.Navigation{Target: "root", Summarize: new(true), Focus: "the numbers"})
	if err != nil || n.Status != compaction.Applied {
		t.Fatalf("%+v %v", n, err)
	}
	// 48,000 − 16,384 are 31 messages of 1,000 tokens.
	if len(a.inputs) != 2 || len(a.inputs[0].History) != 9 || len(a.inputs[1].History) != 31 {
		t.Fatalf("%d requests", len(a.inputs))
	}
	if in := a.inputs[1]; in.PreviousSummary != "summary 1" || !in.Branch || in.Focus != "the numbers" {
		t.Errorf("the second request: previous %q, branch %v, focus %q", in.PreviousSummary, in.Branch, in.Focus)
	}
	if !strings.HasPrefix(n.Summary.BranchSummary().Summary, "summary 2") {
		t.Error(n.Summary.BranchSummary().Summary)
	}
}

// A compaction on the way counts as its summary, and the entries that it
// covers are not folded again.
func TestBranchWithCompaction(t *testing.T) {
	s := emptySession(t)
	grow(t, s, "", userDraft("u0", "Begin."))
	for i := range 4 {
		grow(t, s, leafID(t, s), userDraft(fmt.Sprintf("m%d", i), strings.Repeat("abcd", 100)))
	}
	comp := session.CompactionDraft(&session.Compaction{Summary: "what was", FirstKeptEntryID: "m3", ReadFiles: []string{"was.go"}})
	grow(t, s, leafID(t, s), comp, userDraft("m4", strings.Repeat("abcd", 100)))
	left, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := must.Get(compaction.PlanBranch(left[1:], 150, tokens.Default{}))
	if got := ids(p.Recent); !strings.HasSuffix(got, " m4") || len(p.Recent) != 2 {
		t.Errorf("recent: %s", got)
	}
	if got := ids(p.Folded); got != "m3" {
		t.Errorf("folded: %s, want m3: the compaction kept it and covers the others", got)
	}
}

func ids(entries []*session.Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return strings.Join(out, " ")
}

// A tool group is taken whole or not at all.
func TestBranchBudgetKeepsGroups(t *testing.T) {
	s := garden(t)
	left, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := func(id string) int64 {
		e, _ := s.Find(ctx, id, -1)
		return tokens.Default{}.Message(must.Get(e.Message()))
	}
	budget := size("a3") + size("r2b") // reaches into the group
	p := must.Get(compaction.PlanBranch(left, budget, tokens.Default{}))
	if got := ids(p.Recent); got != "a3" || p.Tokens != size("a3") {
		t.Errorf("recent %s with %d tokens", got, p.Tokens)
	}
	if got := ids(p.Folded); got != "u1 a1 u2 a2 r2a r2b" {
		t.Errorf("folded %s", got)
	}
}

// Custom instructions are added, or replace the prompt.
func TestBranchInstructions(t *testing.T) {
	for _, replace := range []bool{false, true} {
		s := garden(t)
		a := &recorder{}
		c := &compaction.Compactor{Session: s, Summarizer: a, Settings: compaction.Settings{}}
		if _, err := c.Navigate(ctx, compaction.Navigation{Target: "a1", Summarize: new(true), Focus: "only files", ReplaceInstructions: replace}); err != nil {
			t.Fatal(err)
		}
		in := a.inputs[0]
		if focus, prompt := in.Focus == "only files", in.Prompt == "only files"; focus == replace || prompt != replace {
			t.Errorf("replace %v: focus %q, prompt %q", replace, in.Focus, in.Prompt)
		}
	}
}

// A later compaction marks a file that only the other branch changed, and keeps
// the rules given there, not the requests.
func TestFilesOfALeftBranchAreMarked(t *testing.T) {
	s := garden(t)
	c := extractor(s, 200_000)
	if _, err := c.Navigate(ctx, compaction.Navigation{Target: "r4", Summarize: new(true)}); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		grow(t, s, leafID(t, s), userDraft(fmt.Sprintf("n%d", i), strings.Repeat("words and more words ", 100)), answerDraft(fmt.Sprintf("b%d", i), "yes"))
	}
	keep := int64(1)
	out, err := c.Compact(ctx, compaction.Request{Keep: &keep})
	if err != nil || out.Status != compaction.Applied {
		t.Fatalf("%+v %v", out, err)
	}
	if !strings.Contains(out.Summary, "lexer.go (on a branch that was left)") {
		t.Error(out.Summary)
	}
	if !strings.Contains(out.Summary, "Never change the API of package ast") {
		t.Errorf("the rule given on the other branch is lost:\n%s", out.Summary)
	}
	if strings.Contains(out.Summary, "Make it faster") {
		t.Errorf("what was asked for on the other branch is a goal:\n%s", out.Summary)
	}
}

// What each branch did since they split.
func TestCompare(t *testing.T) {
	s := garden(t)
	c := extractor(s, 0)
	cmp, err := c.Compare(ctx, "a3", "r4")
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Ancestor.ID != "a1" || cmp.A.Entries != 5 || cmp.B.Entries != 3 || cmp.A.Turns != 1 || cmp.B.Turns != 1 {
		t.Errorf("%+v", cmp)
	}
	if !slices.Equal(cmp.A.Modified, []string{"lexer.go"}) || !slices.Equal(cmp.B.Read, []string{"old.go"}) || len(cmp.B.Modified) != 0 {
		t.Errorf("files: %v %v %v", cmp.A.Modified, cmp.B.Read, cmp.B.Modified)
	}
	if cmp.A.Outcome != "It is twice as fast." || cmp.B.Outcome != "I read." {
		t.Errorf("outcomes %q %q", cmp.A.Outcome, cmp.B.Outcome)
	}
	if cmp, err = c.Compare(ctx, "a1", "a3"); err != nil || cmp.A.Entries != 0 || cmp.Ancestor.ID != "a1" {
		t.Errorf("%+v %v", cmp, err)
	}
	if _, err = c.Compare(ctx, "a1", "missing"); !errors.Is(err, session.ErrNotFound) {
		t.Error(err)
	}
}
