package storetest_test

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
)

// Each type here is a log that does one thing wrong.

type leafAnew struct{ session.Log }

func (l leafAnew) Leaf(ctx context.Context) (*session.Entry, error) {
	e, err := l.Log.Leaf(ctx)
	if e == nil || err != nil {
		return e, err
	}
	return copyOf(e)
}

func copyOf(e *session.Entry) (*session.Entry, error) {
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	out, _ := session.ParseEntry(raw)
	return out, nil
}

type oneRoot struct{ session.Log }

func (l oneRoot) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	if e.ParentID != "" {
		return l.Log.Parent(ctx, e)
	}
	var before *session.Entry
	for other, err := range l.All(ctx) {
		if err != nil || other.ID == e.ID {
			return before, err
		}
		before = other
	}
	return nil, nil
}

type noEmptyGroup struct{ session.Log }

func (l noEmptyGroup) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	if len(entries) == 0 {
		return nil, errors.New("nothing to append")
	}
	return l.Log.Append(ctx, entries)
}

type sorted struct {
	session.Log
	order func(a, b *session.Entry) int
}

func byID(a, b *session.Entry) int   { return cmp.Compare(a.ID, b.ID) }
func byTime(a, b *session.Entry) int { return a.Time.Compare(b.Time) }

func (l sorted) All(ctx context.Context) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		var all []*session.Entry
		for e, err := range l.Log.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			all = append(all, e)
		}
		slices.SortStableFunc(all, l.order)
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

type noHeader struct{ session.Log }

func (l noHeader) Header() session.Header {
	h := l.Log.Header()
	if e, _ := l.Leaf(context.Background()); e != nil {
		h.Cwd = ""
	}
	return h
}

type onlyKnown struct{ session.Log }

func (l onlyKnown) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	known := slices.Clone(entries)
	for i, e := range known {
		raw, err := e.Raw()
		if deep := rawjson.Get(raw, "deep"); err == nil && deep != nil {
			known[i], _ = session.ParseEntry(rawjson.Delete(raw, "deep"))
		}
	}
	return l.Log.Append(ctx, known)
}

type takesBroken struct{ session.Log }

func (l takesBroken) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	for _, e := range entries {
		if e.ID != e.ParentID && session.CheckAppend([]*session.Entry{e}) != nil {
			return nil, nil //nolint:nilerr // that is what is wrong with it
		}
	}
	return l.Log.Append(ctx, entries)
}

type takesDuplicates struct{ session.Log }

func (l takesDuplicates) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	foreign, err := l.Log.Append(ctx, entries)
	if errors.Is(err, session.ErrDuplicate) {
		err = nil
	}
	return foreign, err
}

type takesLaterParents struct{ session.Log }

func (l takesLaterParents) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	whole := session.CheckAppend(entries)
	for _, e := range entries {
		if err := session.CheckAppend([]*session.Entry{e}); err != nil {
			return nil, err
		}
	}
	if whole != nil && !errors.Is(whole, session.ErrDuplicate) {
		return nil, nil
	}
	return l.Log.Append(ctx, entries)
}

type halves struct{ session.Log }

func (l halves) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	foreign, err := l.Log.Append(ctx, entries)
	if err != nil && len(entries) > 1 {
		_, _ = l.Log.Append(ctx, entries[:1])
	}
	return foreign, err
}

type writesAlways struct{ session.Log }

func (l writesAlways) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	foreign, err := l.Log.Append(ctx, entries)
	if errors.Is(err, session.ErrReadOnly) {
		err = nil
	}
	return foreign, err
}

type findsByPlace struct{ session.Log }

func (l findsByPlace) Find(ctx context.Context, id string, at int64) (*session.Entry, error) {
	for e, err := range l.All(ctx) {
		if err != nil || e.At == at {
			return e, err
		}
	}
	return l.Log.Find(ctx, id, at)
}

type neverClosed struct {
	session.Log
	closed bool
}

func (l *neverClosed) Close() error {
	l.closed = true
	return l.Log.Close()
}

func (l *neverClosed) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	if l.closed {
		return nil, nil
	}
	return l.Log.Append(ctx, entries)
}

type deaf struct{ session.Log }

func (l deaf) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	return l.Log.Append(context.WithoutCancel(ctx), entries)
}
