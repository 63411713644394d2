package summarize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/message"
)

// Extract makes a summary by code: the ledger written out in the sections of
// every summary, with the latest requests and the last words of the assistant.
// It needs no model and cannot fail. It is a pure function.
//
// Constraints come first, word for word, then what the work cannot go on
// without. Each kind of fact gets its share of the room before any takes what
// others left, newest first. The previous summary is updated in place: its
// lines stay if they still hold and go if a newer fact replaced them. The text
// of each part is at most MaxOutput and PrefixMaxOutput.
func Extract(in Input) Result {
	in = in.withDefaults()
	r := run{in: in}
	parts := r.parts()
	for _, p := range parts {
		r.extract(p, parts)
	}
	return r.result(parts)
}

// extraction is one part of an extracted summary in the making.
type extraction struct {
	form
	in        Input
	sources   []ledger.Source
	facts     *ledger.Ledger
	elsewhere string         // text that the reader sees in addition to this part
	below     *ledger.Ledger // facts of the part after this one; nil: none
	limit     int64          // tokens at most
	usual     int64          // tokens without necessity
	buckets   []*bucket
	context   []string // what hooks add to this part
	found     bool     // lines that speak of the focus or the prompt
}

// bucket holds the candidates of a group, oldest first.
type bucket struct {
	group
	items []string
	taken []bool
	used  int64
}

func (in Input) historyExtraction() *extraction {
	most, _ := in.caps()
	e := &extraction{form: historyForm(), in: in, sources: in.History, facts: in.Ledger, elsewhere: in.Visible,
		below: in.PrefixLedger, limit: capped(most, in.MaxOutput), context: in.Context}
	e.prepare(in.PreviousSummary)
	return e
}

// prefixExtraction returns the part of a split turn; above is the history
// part. context is what hooks add, if there is no other part for it.
func (in Input) prefixExtraction(above string, context []string) *extraction {
	_, most := in.caps()
	e := &extraction{form: prefixForm(), in: in, sources: in.Prefix, facts: in.PrefixLedger, elsewhere: in.Visible + "\n\n" + above,
		limit: capped(most, in.PrefixMaxOutput), context: context}
	e.prepare("")
	return e
}

// prepare puts everything that the summary could say into the groups.
func (e *extraction) prepare(previous string) {
	known := e.in.Estimate(previous)
	e.usual = min(e.limit, usualSize, max((sizeOf(e.sources)+known)/4, known, leastUsual))
	for _, g := range e.groups {
		e.buckets = append(e.buckets, &bucket{group: g})
	}
	e.guide()
	e.fill()
	e.carry(previous)
	for _, b := range e.buckets {
		b.taken = make([]bool, len(b.items))
	}
}

// fill puts the facts and the quotations into their groups.
func (e *extraction) fill() {
	unsaid := e.unsaid()
	for _, b := range e.buckets {
		for _, class := range b.holds {
			for _, f := range unsaid.Of(class) {
				to := b
				if class == ledger.Open && strings.Contains(strings.ReplaceAll(f.Note, "_", " "), "in progress") {
					to = e.bucketAt(atDoing, b)
				}
				e.add(to, shown(f))
			}
		}
	}
	if b := e.holding(ledger.Request); b != nil {
		e.quoteRequest(b)
	}
	e.images()
	if b := e.labelled(saidLabel); b != nil {
		said := lastStatements(e.sources, statements)
		for i, text := range said {
			units := b.units - 2
			if i < len(said)-1 {
				units /= 2 // the last words count most
			}
			e.add(b, `"`+clip(text, units)+`"`)
		}
	}
}

// maxImages is how many images, the newest, an extraction names.
const maxImages = 20

// images names the images of the range and where they can be read.
func (e *extraction) images() {
	var lines []string
	s := newSerializer(SerializeOptions{Mask: e.in.Mask})
	for _, src := range e.sources {
		if src.Message == nil || src.Message.Images() == 0 {
			continue
		}
		from := "from the user"
		if name := s.name(src.Message.ToolName); name != "" {
			from = "from " + name
		}
		for _, b := range src.Message.Content {
			if img, ok := b.(message.Image); ok {
				lines = append(lines, fmt.Sprintf("%s, %s, %s, at en:%s", s.mime(img.MIMEType), size(len(img.Data)), from, src.EntryID))
			}
		}
	}
	for _, l := range lines[max(0, len(lines)-maxImages):] {
		e.add(e.labelled(imageLabel), l)
	}
}

// add puts an item after the others, once.
func (e *extraction) add(b *bucket, text string) {
	text = quote.Escape(e.in.Mask(clip(text, b.units)))
	if i := slices.Index(b.items, text); i >= 0 {
		b.items = slices.Delete(b.items, i, i+1)
	}
	if text != "" {
		b.items = append(b.items, text)
	}
}

// quoteRequest quotes the latest request of the range with more of its words
// than the ledger keeps, if there are more.
func (e *extraction) quoteRequest(goal *bucket) {
	for _, s := range slices.Backward(e.sources) {
		text := strings.TrimSpace(s.Message.Text("\n"))
		if roleOf(s.Message) != message.RoleUser || text == "" {
			continue
		}
		quoted := quote.Escape(e.in.Mask(`"` + clip(text, goal.units-2) + `"`))
		if strings.Contains(e.elsewhere, text) || slices.Contains(goal.items, quoted) {
			return
		}
		goal.items = slices.DeleteFunc(goal.items, func(item string) bool {
			return strings.Contains(quoted, strings.Trim(item, `"`))
		})
		if latest := e.labelled(latestLabel); latest != nil && len(goal.items) > 0 {
			goal = latest
		}
		goal.items = append(goal.items, quoted)
		return
	}
}

// statements is how many texts of the assistant are quoted at most.
const statements = 40

// shortStatement is the length in bytes below which a text before a tool call
// only announces it.
const shortStatement = 160

// lastStatements returns the newest texts of the assistant, oldest first. A
// short text before a tool call ("Let me look:") is not worth keeping, unless
// it is the last one.
func lastStatements(sources []ledger.Source, n int) []string {
	var out []string
	for _, s := range slices.Backward(sources) {
		if len(out) == n {
			break
		}
		if roleOf(s.Message) != message.RoleAssistant || s.Message.Failed() {
			continue
		}
		text := strings.TrimSpace(s.Message.Text("\n"))
		announces := len(s.Message.ToolCalls()) > 0 && len(text) < shortStatement
		if text != "" && (len(out) == 0 || !announces) {
			out = append(out, text)
		}
	}
	slices.Reverse(out)
	return out
}

func (e *extraction) find(is func(*bucket) bool) *bucket {
	if i := slices.IndexFunc(e.buckets, is); i >= 0 {
		return e.buckets[i]
	}
	return nil
}

func (e *extraction) holding(c ledger.Class) *bucket {
	return e.find(func(b *bucket) bool { return slices.Contains(b.holds, c) })
}

func (e *extraction) labelled(label string) *bucket {
	return e.find(func(b *bucket) bool { return b.label == label })
}

// bucketAt returns the first group at a place, or other.
func (e *extraction) bucketAt(p place, other *bucket) *bucket {
	if b := e.find(func(b *bucket) bool { return b.place == p }); b != nil {
		return b
	}
	return other
}
