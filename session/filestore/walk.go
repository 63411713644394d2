package filestore

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/session"
)

// ReadTree reads the tree of the log and hands each entry to visit, in log
// order, as session.ReadTree says. It reads the unread part of the file once
// and keeps what it learns in the log. Entries are handed out while the rest
// of the file is still being read.
func (l *openLog) ReadTree(ctx context.Context, visit func(i int, e *session.Entry) error) (*session.Tree, error) {
	p, whole, err := l.newPass(ctx)
	if err != nil {
		return nil, err
	}
	place := 0
	p.visit = func(e *session.Entry) error {
		place++
		return visit(place-1, e)
	}
	if whole {
		err = l.each(ctx, p.x, p.file, p.n, p.visit)
	} else {
		err = l.run(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	return l.tree(ctx, p, nil)
}

// ReadShape reads the tree of the log without making entries, as
// session.ReadShape says.
func (l *openLog) ReadShape(ctx context.Context) (*shape.Shape, error) {
	p, whole, err := l.newPass(ctx)
	if err != nil {
		return nil, err
	}
	if !whole {
		if err := l.run(ctx, p); err != nil {
			return nil, err
		}
	}
	s := &shape.Shape{Nodes: make([]shape.Node, 0, p.n)}
	t, err := l.tree(ctx, p, func(r *record) {
		s.Nodes = append(s.Nodes, shape.Node{ID: r.id, Type: r.typ, At: r.off})
	})
	if err != nil {
		return nil, err
	}
	s.Tree = *t
	return s, nil
}

// readWhole makes the index whole. Entries that were handed out stay the same
// objects.
func (l *openLog) readWhole(ctx context.Context) error {
	if l.x.whole {
		return nil
	}
	p := l.passLocked()
	if err := p.run(ctx); err != nil {
		return l.wrap(err)
	}
	l.install(p)
	return nil
}

// pass reads the unknown part of a file, from its start, and makes a whole
// index.
type pass struct {
	x       *index
	links   linker
	n       int // how many records belong to the pass
	file    fsx.File
	end     int64
	segment int64
	from    int64                      // the log already knows the file from here on
	known   []record                   // the records it knows
	blocks  []block                    // and how they were read
	held    map[int64]*session.Entry   // entries that have been handed out, by offset
	visit   func(*session.Entry) error // nil: entries are not wanted
}

// newPass returns the pass over what the log has now; whole says that its
// index is already whole.
func (l *openLog) newPass(ctx context.Context) (p *pass, whole bool, err error) {
	if err := l.wait(ctx); err != nil {
		return nil, false, err
	}
	defer l.busy.Unlock()
	if l.x.whole {
		return &pass{x: l.x, n: len(l.x.recs), file: l.file}, true, nil
	}
	return l.passLocked(), false, nil
}

func (l *openLog) passLocked() *pass {
	x := newIndex(0, l.header)
	x.whole = true
	p := &pass{x: x, file: l.file, end: l.end, segment: segment, from: l.x.from,
		known: slices.Clone(l.x.recs), blocks: l.x.blocks, held: maps.Clone(l.held)}
	p.links = linker{index: x, read: p.read}
	return p
}

// run runs a pass. The log adopts the index unless it has changed since.
func (l *openLog) run(ctx context.Context, p *pass) error {
	if err := p.run(ctx); err != nil {
		return l.wrap(err)
	}
	if err := l.wait(ctx); err != nil {
		return err
	}
	defer l.busy.Unlock()
	if !l.x.whole && l.x.from == p.from && l.end == p.end && l.file == p.file {
		l.install(p)
	}
	return nil
}

// install makes the index of a pass the log's index.
func (l *openLog) install(p *pass) {
	for at, e := range l.held {
		if i, ok := p.x.atOffset(at); ok && p.x.recs[i].id == e.ID {
			if i = p.x.canonical(i); p.x.recs[i].entry == nil {
				p.x.recs[i].entry = e
			}
		}
	}
	l.x, l.held = p.x, nil
}

func (p *pass) run(ctx context.Context) error {
	p.x.recs = make([]record, 0, len(p.known))
	all := newScanners(func() *session.Reader { return nil })
	if err := all.stream(ctx, p.file, 0, p.from, p.segment, p.take); err != nil {
		return err
	}
	for _, b := range p.blocks {
		first := len(p.x.recs)
		p.x.recs = append(p.x.recs, p.known[:b.recs]...)
		p.known = p.known[b.recs:]
		p.x.number(first, b)
		if err := p.links.link(first, b.parents); err != nil {
			return err
		}
		if err := p.show(first, p.read); err != nil {
			return err
		}
	}
	p.links.end()
	p.n = len(p.x.recs)
	return nil
}

// take links a stretch and hands out its entries.
func (p *pass) take(s stretch) error {
	if len(p.x.recs) == 0 && len(s.recs) > 0 {
		p.expect(len(s.recs), int64(len(s.data)))
	}
	first := len(p.x.recs)
	p.x.append(s.batch)
	p.links.read = func(r *record) ([]byte, error) {
		if raw := s.bytes(r); raw != nil {
			return raw, nil
		}
		return p.read(r)
	}
	err := p.links.link(first, s.parents)
	p.links.read = p.read
	if err != nil {
		return err
	}
	return p.show(first, func(r *record) ([]byte, error) {
		if s.long() {
			return s.bytes(r), nil
		}
		return bytes.Clone(s.bytes(r)), nil // the memory is reused
	})
}

func (p *pass) read(r *record) ([]byte, error) { return readAgain(p.file, r) }

// show hands out the entries from a position on.
func (p *pass) show(first int, read bytesOf) (err error) {
	if p.visit == nil {
		return nil
	}
	for i := first; i < len(p.x.recs); i++ {
		r := &p.x.recs[i]
		if r.isHeader() || r.same > 0 {
			continue
		}
		e := r.entry
		if e == nil {
			e = p.held[r.off]
		}
		if e == nil || e.ID != r.id {
			if e, err = p.x.decode(i, read); err != nil {
				return err
			}
		}
		if err := p.visit(e); err != nil {
			return err
		}
	}
	return nil
}

// expect makes room for the records of the whole file, judging by the n in its
// first part. Otherwise the list would be copied as it grows and be in memory
// twice.
func (p *pass) expect(n int, part int64) {
	if part < p.end {
		n = int(1.05 * float64(n) * float64(p.end) / float64(part))
	}
	p.x.recs = make([]record, 0, n+1)
	p.x.ids.reserve(p.x.recs, n+1)
}

// tree returns what a pass found out. Each record that is an entry is handed
// to node, which may be nil.
func (l *openLog) tree(ctx context.Context, p *pass, node func(r *record)) (*session.Tree, error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	defer l.busy.Unlock()
	t := &session.Tree{Up: make([]int32, 0, p.n), Leaf: none}
	places := make([]int32, p.n) // of each record among the entries
	for i := range p.n {
		r := &p.x.recs[i]
		switch {
		case r.isHeader():
			places[i] = none
		case r.same > 0:
			places[i] = places[p.x.canonical(i)]
		default:
			places[i] = int32(len(t.Up))
			up := int32(none)
			if u, _ := p.x.up(i); u >= 0 {
				up = places[u]
			}
			t.Up = append(t.Up, up)
			if node != nil {
				node(r)
			}
		}
	}
	if i := p.x.leafOf(p.n); i >= 0 {
		t.Leaf = int(places[i])
	}
	return t, nil
}
