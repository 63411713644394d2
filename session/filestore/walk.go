package filestore

import (
	"bytes"
	"cmp"
	"context"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/session"
)

// ReadTree reads the tree of the log and hands each entry to visit, in log
// order, as session.ReadTree says. A file that was not read as a whole yet is
// read once, and what is found out stays in the log; entries are handed out
// while the rest of the file is still being scanned.
func (l *Log) ReadTree(ctx context.Context, visit func(i int, e *session.Entry) error) (*session.Tree, error) {
	p, linked := l.newPass()
	place := 0
	next := func(e *session.Entry) error {
		place++
		return visit(place-1, e)
	}
	var err error
	if linked {
		stopped := error(nil)
		err = l.each(ctx, p.t, p.file, p.n, func(e *session.Entry) bool {
			stopped = next(e)
			return stopped == nil
		})
		err = cmp.Or(err, stopped)
	} else {
		p.visit = next
		err = l.run(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	return l.tree(p, nil), nil
}

// ReadShape reads the tree of the log without making entries, as
// session.ReadShape says.
func (l *Log) ReadShape(ctx context.Context) (*session.Shape, error) {
	p, linked := l.newPass()
	if !linked {
		if err := l.run(ctx, p); err != nil {
			return nil, err
		}
	}
	s := &session.Shape{Nodes: make([]session.Node, 0, p.n)}
	s.Tree = *l.tree(p, func(r *record) {
		s.Nodes = append(s.Nodes, session.Node{ID: r.id, Type: r.typ, At: r.off})
	})
	return s, nil
}

// pass is a walk over a file that links it while it is read.
type pass struct {
	file    fsx.File
	end     int64
	segment int64
	t       *table
	n       int // how many records of the table belong to the walk
	known   map[int64]*session.Entry
	visit   func(*session.Entry) error // nil: entries are not asked for
	open    []int                      // records whose parent is not in front of them
}

// newPass returns the pass over what the log has now; linked says that its
// table is there already.
func (l *Log) newPass() (p *pass, linked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p = &pass{file: l.file, end: l.end, segment: segment, t: l.t, n: len(l.t.recs)}
	if l.t.linked {
		return p, true
	}
	p.t, p.known = newTable(0, l.header), l.handedOut()
	p.t.linked = true
	return p, false
}

// handedOut are the entries that somebody may hold, by offset.
func (l *Log) handedOut() map[int64]*session.Entry {
	known := map[int64]*session.Entry{}
	for i := range l.t.recs {
		if r := &l.t.recs[i]; r.entry != nil {
			known[r.off] = r.entry
		}
	}
	for at, e := range l.hinted {
		known[at] = e
	}
	return known
}

// run reads the file, and takes the table over unless the log has gone on
// since.
func (l *Log) run(ctx context.Context, p *pass) error {
	if err := stream(ctx, p.file, p.end, p.segment, p.take); err != nil {
		return l.wrap(err)
	}
	p.t.linkRest(p.open)
	p.n = len(p.t.recs)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.t.linked || l.end != p.end || l.file != p.file {
		return nil
	}
	for at, e := range l.handedOut() {
		p.t.adopt(e, at)
	}
	l.t, l.hinted = p.t, nil
	return nil
}

// take links a stretch and hands its entries out.
func (p *pass) take(s stretch) error {
	if len(p.t.recs) == 0 && len(s.recs) > 0 {
		p.t.expect(len(s.recs), int64(len(s.data)), p.end)
	}
	first := p.t.append(s.batch)
	open, err := p.t.linkFrom(first, func(r *record) ([]byte, error) {
		if raw := s.bytes(r); raw != nil {
			return raw, nil
		}
		return readRecord(p.file, r)
	})
	if err != nil {
		return err
	}
	p.open = append(p.open, open...)
	if p.visit == nil {
		return nil
	}
	// The memory of a stretch is used again, that of an entry is not.
	copied := func(r *record) ([]byte, error) { return bytes.Clone(s.bytes(r)), nil }
	for i := first; i < len(p.t.recs); i++ {
		r := &p.t.recs[i]
		if r.isHeader() || r.same >= 0 {
			continue
		}
		e := p.known[r.off]
		if e == nil || e.ID != r.id {
			if e, err = p.t.decode(i, copied); err != nil {
				return err
			}
		}
		if err := p.visit(e); err != nil {
			return err
		}
	}
	return nil
}

// expect makes room for the records of a file, n of which are in the first
// part: a table that grows is copied, and lies in memory twice.
func (t *table) expect(n int, part, size int64) {
	if part < size {
		n = int(1.05 * float64(n) * float64(size) / float64(part))
	}
	t.recs = make([]record, 0, n+1)
	t.ids.reserve(t.recs, n+1)
}

// tree is what a pass found out. Each record that is an entry is handed to
// node, which may be nil.
func (l *Log) tree(p *pass, node func(r *record)) *session.Tree {
	l.mu.Lock()
	defer l.mu.Unlock()
	recs := p.t.recs[:p.n]
	t := &session.Tree{Up: make([]int32, 0, p.n), Leaf: none}
	places := make([]int32, p.n) // of each record among the entries
	for i := range recs {
		r := &recs[i]
		switch {
		case r.isHeader():
			places[i] = none
		case r.same >= 0:
			places[i] = places[r.same]
		default:
			places[i] = int32(len(t.Up))
			up := int32(none)
			if r.up >= 0 {
				up = places[r.up]
			}
			t.Up = append(t.Up, up)
			if node != nil {
				node(r)
			}
		}
	}
	if i := p.t.leafOf(p.n); i >= 0 {
		t.Leaf = int(places[i])
	}
	return t
}
