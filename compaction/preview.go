package compaction

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Losses says which facts a plan would lose if extraction wrote the summary.
type Losses struct {
	Facts    map[ledger.Class]int // in the range and carried
	Lost     map[ledger.Class]int // of them, no longer visible; only classes that lose
	Read     []string             // complete file lists
	Modified []string
}

// Losses previews the verification of a plan, with the extractive summary.
func (c *Compactor) Losses(ctx context.Context, p *Plan) (Losses, error) {
	if err := guard.Given("the plan", p); err != nil {
		return Losses{}, err
	}
	k, err := c.knownBefore(ctx, p)
	if err != nil {
		return Losses{}, err
	}
	lists := p.files(k)
	if k.input.Visible, err = p.visibleBesides(lists, c.estimator()); err != nil {
		return Losses{}, err
	}
	shown, err := p.shownText()
	if err != nil {
		return Losses{}, err
	}
	v := verification{state: k.input.State, cut: k.cut(), shown: shown, lines: p.olderCalls(), lists: lists, budgets: c.Settings.budgets(), est: c.estimator()}
	out := Losses{Facts: k.input.State.Counts(v.covered), Lost: map[ledger.Class]int{}}
	for class, s := range v.complete(ctx, summarize.Extract(k.input).Summary).coverage {
		if s.Kept < s.Facts {
			out.Lost[class] = s.Facts - s.Kept
		}
	}
	if ctx.Err() != nil {
		return Losses{}, context.Cause(ctx)
	}
	out.Read, out.Modified = lists.sorted()
	return out, nil
}

// CutIndex returns the index of the first kept entry on the whole path. log is
// the log that was planned over; it is read back to the root.
func (p *Plan) CutIndex(ctx context.Context, log session.Log) (int, error) {
	if p.View.AtRoot || len(p.View.Path) == 0 {
		return p.Cut, nil
	}
	tree, err := shape.Read(ctx, log)
	if err != nil {
		return 0, err
	}
	first := p.View.Path[0]
	at, ok := slices.BinarySearchFunc(tree.Nodes, first.At, func(n shape.Node, at int64) int { return cmp.Compare(n.At, at) })
	if !ok || tree.Nodes[at].ID != first.ID {
		return 0, fmt.Errorf("entry %s: %w at its place", first.ID, session.ErrNotFound)
	}
	n := p.Cut
	for up := tree.Up[at]; up >= 0; up = tree.Up[up] {
		n++
	}
	return n, nil
}

// visibleBesides returns what the model sees of the covered part in addition
// to the summary's own words while the compaction is in force: the file lists
// under it and the open request. Pins are not included, because they may be
// removed.
func (p *Plan) visibleBesides(lists fileLists, est tokens.Estimator) (string, error) {
	request, err := p.requestText()
	return lists.text(est) + "\n\n" + request, err
}

// shownText returns what stays visible of the covered part. Only the head and
// the tail of a large message of the open request stay visible.
func (p *Plan) shownText() (string, error) {
	text, err := p.requestText()
	if err != nil {
		return "", err
	}
	pins, err := timeline.ItemMessages(p.Pins)
	for _, m := range pins {
		text += llmText(m)
	}
	return text, err
}

func (p *Plan) requestText() (string, error) {
	request, err := timeline.ItemMessages(p.Request)
	text := ""
	for i, m := range request {
		text += llmText(covered.Shorten(m, p.Request[i].Entry.ID, p.Target/covered.RequestShare))
	}
	return text, err
}

// olderCalls returns the line about calls that wait for a result and are no
// longer shown.
func (p *Plan) olderCalls() []string {
	var calls []string
	for _, o := range slices.Backward(p.Older) {
		for _, c := range o.Calls {
			calls = append(calls, c.Name+" (en:"+o.Item.Entry.ID+")")
		}
	}
	if len(calls) == 0 {
		return nil
	}
	line := fmt.Sprintf("- %d older tool calls have no result yet and are not shown: ", len(calls)) +
		strings.Join(calls[:min(len(calls), olderPaths)], ", ")
	if len(calls) > olderPaths {
		line += ", …"
	}
	return []string{line}
}

func llmText(m *message.Message) string {
	if llm := timeline.ToLLM(m); llm != nil {
		return llm.Text("\n") + "\n\n"
	}
	return ""
}

// InputTokens returns about how many tokens the plan's requests to a summarizer
// have: the range as it is serialized, the previous summary, the prompts.
func (p *Plan) InputTokens(est tokens.Estimator) (int64, error) {
	const prompts = 1500
	n := int64(prompts)
	for _, items := range [][]timeline.Item{p.historyItems, p.prefixItems} {
		msgs, err := timeline.ItemMessages(items)
		if err != nil {
			return 0, err
		}
		n += est.Text(summarize.SerializeConversation(msgs, summarize.SerializeOptions{}))
	}
	if p.Previous == nil {
		return n, nil
	}
	m, err := p.Previous.Message()
	if err != nil {
		return 0, err
	}
	return n + est.Message(m), nil
}
