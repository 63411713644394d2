package export

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/state"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// HTMLOptions configure a page.
type HTMLOptions struct {
	Title string       // "": the session id
	State *state.State // what is true at the leaf of the first view; nil: it is not shown
}

// HTML writes a log as one page: the tree of all branches, everything that was
// said, what the model sees at the leaf of each view, and what is true now. The page opens at
// the leaf of the first view, or at the log's. It loads nothing from outside,
// and its content security policy forbids it.
//
// The page is written in one pass: entries as they come, then at the end what
// is known only after all of them.
func HTML(ctx context.Context, log session.Log, views []*timeline.View, w io.Writer, opts HTMLOptions) error {
	h := log.Header()
	if opts.Title == "" {
		opts.Title = h.ID
	}
	b := &book{out: bufio.NewWriterSize(w, 1<<16), p: previewer{calls: map[string]string{}}, labels: map[string]string{}}
	b.expect(views)
	if err := writeHead(b.out, short(opts.Title, previewText)); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	b.write([]byte(openEntries))
	tree, err := session.ReadTree(ctx, log, b.add)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	problems, err := log.Problems(ctx, true)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	b.write([]byte(closeData + openIndex))
	index, err := b.index(h, opts.Title, tree, views, problems)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	index.Now = nowOf(opts.State)
	b.write(encode(index))
	b.write([]byte(closeData))
	if err := writeTail(b.out); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if b.err == nil {
		b.err = b.out.Flush()
	}
	if b.err != nil {
		return fmt.Errorf("export: %w", b.err)
	}
	return nil
}

// book collects what a page says about each entry, and writes the rest at
// once.
type book struct {
	out    *bufio.Writer
	err    error // the first one of out
	p      previewer
	labels map[string]string
	heads  []head
	places map[place]int // for the entries that views mention; -1: not found yet
}

// place names an entry of a log, in which an id may occur twice.
type place struct {
	id string
	at int64
}

// head is what the page needs to know about an entry before it is shown.
type head struct {
	ID        string       `json:"id"`
	Up        int32        `json:"u"` // index of the parent; -1: a root
	Type      session.Type `json:"y"`
	Role      message.Role `json:"r,omitzero"`
	Label     string       `json:"l,omitzero"`
	Time      int64        `json:"t,omitzero"` // Unix time in milliseconds
	Tokens    int64        `json:"n,omitzero"`
	Preview   string       `json:"p,omitzero"`
	Filters   int          `json:"f"`
	Tool      string       `json:"o,omitzero"` // name of the tool of a result, type of a custom message
	Failed    bool         `json:"e,omitzero"`
	FirstKept string       `json:"k,omitzero"` // of a compaction
	Before    int64        `json:"b,omitzero"` // of a compaction: tokens before it
	Undoes    string       `json:"x,omitzero"` // id of the compaction that is undone
}

// pageIndex is what the page needs at once.
type pageIndex struct {
	Title    string     `json:"title"`
	Session  string     `json:"session"`
	Cwd      string     `json:"cwd,omitzero"`
	Created  int64      `json:"created,omitzero"`
	Leaf     int        `json:"leaf"` // -1: the log is empty
	Heads    []head     `json:"heads"`
	Views    []pageView `json:"views"`
	Problems []string   `json:"problems"`
	Now      *pageNow   `json:"now,omitzero"`
}

// pageView is what the model sees at a leaf.
type pageView struct {
	Leaf    int        `json:"leaf"`
	Summary int        `json:"c"` // the compaction in force; -1: none
	Prompt  []part     `json:"prompt,omitzero"`
	Tokens  int64      `json:"tokens"`
	Items   []pageItem `json:"items"`
	LeftOut []leftOut  `json:"left,omitzero"`
}

// pageItem is a message of a view. Without parts it is shown as in the log.
type pageItem struct {
	Entry   int          `json:"i"` // -1: made by the view
	Role    message.Role `json:"r"`
	Pinned  bool         `json:"pin,omitzero"`
	Request bool         `json:"req,omitzero"`
	Open    bool         `json:"open,omitzero"`
	Changed bool         `json:"ed,omitzero"`
	Why     string       `json:"why,omitzero"` // for a message that the view made
	Parts   []part       `json:"d,omitzero"`
}

type leftOut struct {
	Entry int    `json:"i"`
	Rule  string `json:"rule"`
}

// expect notes which entries the views mention.
func (b *book) expect(views []*timeline.View) {
	b.places = map[place]int{}
	note := func(e *session.Entry) {
		if e != nil {
			b.places[place{e.ID, e.At}] = -1
		}
	}
	for _, v := range views {
		note(v.Leaf)
		for _, e := range v.Path {
			note(e)
		}
		for _, it := range v.Items {
			note(it.Entry)
		}
	}
}

// add writes the parts of an entry on one line and keeps its head.
func (b *book) add(i int, e *session.Entry) error {
	m, err := e.Message()
	if err != nil {
		return err
	}
	h := head{ID: e.ID, Type: e.Type, Preview: b.p.of(e, m), Filters: filtersOf(e, m), Undoes: e.Undoes()}
	if !e.Time.IsZero() {
		h.Time = e.Time.UnixMilli()
	}
	if m != nil {
		h.Role, h.Tokens = m.Role, tokens.Default{}.Message(m)
		h.Failed = m.Failed() || m.IsError
		h.Tool = m.ToolName + m.CustomType
	}
	if c := e.Compaction(); c != nil {
		h.FirstKept, h.Before = c.FirstKeptEntryID, c.TokensBefore
	}
	if c := e.Custom(); c != nil {
		h.Tool = c.CustomType
	}
	if l := e.Label(); l != nil {
		b.labels[l.TargetID] = l.Label
	}
	b.heads = append(b.heads, h)
	if _, ok := b.places[place{e.ID, e.At}]; ok {
		b.places[place{e.ID, e.At}] = i
	}
	parts := partsOf(e, m)
	if parts == nil {
		parts = []part{}
	}
	if i > 0 {
		b.write([]byte{'\n'})
	}
	b.write(encode(parts))
	return nil
}

func (b *book) write(data []byte) {
	if b.err == nil {
		_, b.err = b.out.Write(data)
	}
}

// index completes the heads and puts them together.
func (b *book) index(h session.Header, title string, tree *session.Tree, views []*timeline.View, problems []session.Problem) (pageIndex, error) {
	x := pageIndex{Title: short(title, previewText), Session: h.ID, Cwd: h.Cwd, Leaf: tree.Leaf, Heads: b.heads, Views: []pageView{}, Problems: []string{}}
	if b.heads == nil {
		x.Heads = []head{}
	}
	if !h.Time.IsZero() {
		x.Created = h.Time.UnixMilli()
	}
	for i := range x.Heads {
		e := &x.Heads[i]
		e.Up, e.Label = tree.Up[i], short(b.labels[e.ID], previewName)
		if e.Label != "" {
			e.Filters |= filterLabeled
		}
	}
	if tree.Leaf >= 0 {
		x.Heads[tree.Leaf].Filters |= filterDefault | filterNoTools
	}
	for i, v := range views {
		if v.Leaf == nil {
			continue
		}
		pv, err := b.view(v)
		if err != nil {
			return x, err
		}
		x.Views = append(x.Views, pv)
		if i == 0 && pv.Leaf >= 0 {
			x.Leaf = pv.Leaf
		}
	}
	for _, p := range problems {
		x.Problems = append(x.Problems, problemText(p))
	}
	return x, nil
}

func problemText(p session.Problem) string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d: %s: %s", p.Line, p.Kind, p.Detail)
	}
	return p.Kind + ": " + p.Detail
}

func (b *book) view(v *timeline.View) (pageView, error) {
	est := tokens.Default{}
	pv := pageView{Leaf: b.placeOf(v.Leaf), Summary: b.placeOf(v.Compaction), Tokens: v.Prompt.Tokens(est), Items: []pageItem{}}
	if v.Prompt.Known {
		pv.Prompt = systemParts(v.Prompt.Message())
	}
	for _, it := range v.Items {
		m, err := it.Message()
		if err != nil {
			return pv, err
		}
		item := pageItem{Entry: b.placeOf(it.Entry), Role: m.Role, Pinned: it.Pinned, Request: it.Request, Open: it.Open, Why: string(it.Kind)}
		parts := messageParts(m)
		same := false
		if it.Entry != nil {
			said, err := it.Entry.Message()
			if err != nil {
				return pv, err
			}
			same = sameParts(parts, partsOf(it.Entry, said))
		}
		if !same {
			item.Parts, item.Changed = parts, it.Entry != nil
		}
		pv.Tokens += est.Message(m)
		pv.Items = append(pv.Items, item)
	}
	byID := map[string]int{}
	for _, e := range v.Path {
		byID[e.ID] = b.placeOf(e)
	}
	for _, l := range v.LeftOut {
		if i, ok := byID[l.EntryID]; ok {
			pv.LeftOut = append(pv.LeftOut, leftOut{Entry: i, Rule: string(l.Rule)})
		}
	}
	return pv, nil
}

func (b *book) placeOf(e *session.Entry) int {
	if e == nil {
		return -1
	}
	if i, ok := b.places[place{e.ID, e.At}]; ok {
		return i
	}
	return -1
}

// sameParts compares without reasoning, which views leave out if a provider
// would refuse it.
func sameParts(a, b []part) bool {
	next := func(parts []part) []part {
		for len(parts) > 0 && parts[0].Kind == partThinking {
			parts = parts[1:]
		}
		return parts
	}
	for a, b = next(a), next(b); len(a) > 0 && len(b) > 0; a, b = next(a[1:]), next(b[1:]) {
		if a[0] != b[0] {
			return false
		}
	}
	return len(a) == 0 && len(b) == 0
}

// encode writes JSON for a script element: without <, > and &, and without the
// two line separators that JSON allows in text but JavaScript did not.
func encode(v any) []byte {
	out, err := json.Marshal(v, json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true))
	if err != nil { // texts and numbers can always be encoded
		return []byte("null")
	}
	return out
}
