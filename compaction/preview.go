package compaction

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Losses is what a plan would cost in knowledge, as if by extraction.
type Losses struct {
	Facts    map[ledger.Class]int // in the range and carried
	Lost     map[ledger.Class]int // of them, no longer visible; only classes that lose
	Read     []string             // complete file lists
	Modified []string
}

// Losses previews the verification of a plan, with the extractive summary.
func (c *Compactor) Losses(p *Plan) Losses {
	facts := rangeLedger(p, c.Ledger)
	lists := collectFiles(facts, p.Previous, p.History, p.Prefix)
	in := p.Input(facts, c.Ledger)
	in.Mask, in.Estimate, in.Visible = c.Mask, c.estimator().Text, p.beside(lists, c.estimator())
	v := verify(summarize.Extract(in).Summary, p.shownText(), facts, lists, c.Settings, c.estimator())
	out := Losses{Facts: facts.Counts(), Lost: map[ledger.Class]int{}}
	for class, s := range v.coverage {
		if s.Kept < s.Facts {
			out.Lost[class] = s.Facts - s.Kept
		}
	}
	out.Read, out.Modified = lists.sorted()
	return out
}

// CutIndex is the place of the first kept entry on the whole path, from 0. It
// reads back to the root.
func (c *Compactor) CutIndex(ctx context.Context, p *Plan) (int, error) {
	if p.View.AtRoot || len(p.View.Path) == 0 {
		return p.Cut, nil
	}
	shape, err := session.ReadShape(ctx, c.Session.Log())
	if err != nil {
		return 0, err
	}
	first := p.View.Path[0]
	at, ok := slices.BinarySearchFunc(shape.Nodes, first.At, func(n session.Node, at int64) int { return cmp.Compare(n.At, at) })
	if !ok || shape.Nodes[at].ID != first.ID {
		return 0, fmt.Errorf("entry %s: %w at its place", first.ID, session.ErrNotFound)
	}
	n := p.Cut
	for up := shape.Up[at]; up >= 0; up = shape.Up[up] {
		n++
	}
	return n, nil
}

// beside is what the model sees of the covered part besides the summary's own
// words, for as long as the compaction is in force: the file lists under it and
// the open request. Pins are not in it, they may be taken off.
func (p *Plan) beside(lists fileLists, est tokens.Estimator) string {
	return lists.text(est) + "\n\n" + p.requestText()
}

// shownText is what stays visible of the covered part. A large message of the
// open request does so only with its head and its tail.
func (p *Plan) shownText() string {
	text := p.requestText()
	for _, it := range p.Pins {
		text += llmText(it.Message())
	}
	return text
}

func (p *Plan) requestText() string {
	text := ""
	for _, it := range p.Request {
		text += llmText(timeline.ShortenRequest(it.Message(), it.Entry.ID, p.Target))
	}
	return text
}

func llmText(m *message.Message) string {
	if llm := timeline.ToLLM(m); llm != nil {
		return llm.Text("\n") + "\n\n"
	}
	return ""
}

// InputTokens is about what the plan's requests to a summarizer hold, in
// tokens: the range as it is serialized, the previous summary, the prompts.
func (p *Plan) InputTokens(est tokens.Estimator) int64 {
	const prompts = 1500
	n := int64(prompts)
	for _, items := range [][]timeline.Item{p.historyItems, p.prefixItems} {
		n += est.Text(summarize.SerializeConversation(summarize.ConvertToLLM(timeline.ItemMessages(items)), summarize.SerializeOptions{}))
	}
	if p.Previous != nil {
		n += est.Message(p.Previous.Message())
	}
	return n
}
