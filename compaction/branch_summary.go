package compaction

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// summary makes the draft of a branch summary; nil: there is nothing to
// summarize. It reports false if the navigation ends.
func (t *navigating) summary(ctx context.Context, a TreeAnswer) (*session.Draft, bool) {
	p, err := planBranch(t.route.Left, t.Branches.budget(t.Model), t.estimator())
	if err != nil {
		t.end(Failed, IO, err)
		return nil, false
	}
	if p.Empty() {
		return nil, true
	}
	st, err := t.knowBranch(ctx, p)
	if err != nil {
		t.end(Failed, IO, err)
		return nil, false
	}
	lists := p.files(st)
	body := a.Summary
	if t.out.FromHook = body != ""; t.out.FromHook {
		t.out.Rung = "hook"
	} else {
		res, err := t.summarize(ctx, p, st, lists)
		switch {
		case ctx.Err() != nil:
			t.end(Cancelled, Interrupted, context.Cause(ctx))
			return nil, false
		case errors.Is(err, summarize.ErrNothing):
			return nil, true
		case err != nil:
			t.end(Failed, summarizerFailed, err)
			return nil, false
		case strings.TrimSpace(res.Summary) == "":
			t.end(Failed, summarizerFailed, errors.New("the summary is empty"))
			return nil, false
		}
		body, t.out.Rung, t.out.Model = res.Summary, res.Rung, res.Model
	}
	v := verification{state: st, cut: len(p.all), lists: lists, budgets: t.Settings.budgets(), est: t.estimator()}.complete(ctx, quote.Safe(t.mask(body)))
	if ctx.Err() != nil {
		t.end(Failed, IO, context.Cause(ctx))
		return nil, false
	}
	t.out.Coverage = v.coverage
	d := t.summaryDraft(v, st, lists, oneLine(a.Details))
	return &d, true
}

// summaryDraft builds the entry. Its details carry the state, so that what was
// found out on the branch counts where the summary is read.
func (t *navigating) summaryDraft(v verified, st *state.State, lists fileLists, theirs []byte) session.Draft {
	read, modified := lists.sorted()
	d := session.BranchSummaryDraft(&session.BranchSummary{FromID: t.from(), Summary: v.text,
		ReadFiles: read, ModifiedFiles: modified, Usage: t.out.Usage, FromHook: t.out.FromHook})
	d.ID = session.NewID()
	coverage, _ := json.Marshal(v.coverage) // a map of numbers
	own := new(jsonw.Object).Str("rung", t.out.Rung).Raw("coverage", coverage).Raw("state", st.Encode(state.MaxCarried))
	d.Body = rawjson.Set(d.Body, "details", rawjson.Set(rawjson.Get(d.Body, "details"), "coppice", own.Bytes()))
	if theirs != nil {
		d.Body = withDetails(d.Body, theirs)
	}
	return d
}

// from is the last entry of the branch that is summarized.
func (t *navigating) from() string {
	left := t.route.Left
	return left[len(left)-1].ID // there is something to summarize, so there is a last one
}

// summarize asks for a summary of what is recent; what does not fit the budget
// is summarized first, and updated by it.
func (t *navigating) summarize(ctx context.Context, p *branchPlan, st *state.State, lists fileLists) (summarize.Result, error) {
	older, err := sources(ctx, p.folded)
	if err != nil {
		return summarize.Result{}, err
	}
	recent, err := sources(ctx, p.recent)
	if err != nil {
		return summarize.Result{}, err
	}
	in := t.input(recent)
	in.Branch, in.Visible = true, lists.text(t.estimator())
	if in.State = st; len(p.all) != len(p.recent) {
		in.State = nil // it counts messages that are not given
	}
	if in.Focus = t.Focus; t.ReplaceInstructions {
		in.Prompt, in.Focus = t.Focus, ""
	}
	if len(older) > 0 {
		fold := t.input(older)
		fold.Focus, fold.Prompt = in.Focus, in.Prompt
		res, err := t.askSummarizer(ctx, fold)
		t.noteSummary(res)
		switch {
		case errors.Is(err, summarize.ErrNothing):
		case err != nil:
			return res, err
		default:
			in.PreviousSummary, in.PreviousForeign = res.Summary, true
		}
	}
	res, err := t.askSummarizer(ctx, in)
	t.noteSummary(res)
	return res, err
}

// input is what both requests share.
func (t *navigating) input(history []ledger.Source) summarize.Input {
	target := t.Settings.Threshold(t.Model.InputLimit())
	limit, _ := outputLimits(t.Branches.reserve(), target, t.Model.MaxOutput, t.Model.Window, false)
	return summarize.Input{History: history, MaxOutput: limit, Cwd: t.folding().Cwd,
		Cap:  limit + t.Settings.budgets().sum() + fileListTokens,
		Mask: t.Mask, Estimate: t.estimator().Text}
}

func (t *navigating) noteSummary(res summarize.Result) {
	t.out.Unheeded = res.Unheeded // of the last request, which includes everything
	t.out.Attempts = append(t.out.Attempts, res.Attempts...)
	if res.Usage == nil {
		return
	}
	if t.out.Usage == nil {
		t.out.Usage = &message.Usage{}
	}
	t.out.Usage.Add(res.Usage)
}
