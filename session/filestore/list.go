package filestore

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

const (
	edge    = 64 << 10 // how much of each end of a file a list reads
	readers = 8        // how many files are read at once
)

// List walks the sessions, newest first. The time of a session is that of its
// last message, not of its file, which changes when the file is copied.
//
// A message is hardly ever younger than its file. So files are read in the
// order of their own times, and a session is yielded as soon as no remaining
// file can be newer.
func (s *store) List(ctx context.Context) iter.Seq2[session.Info, error] {
	return func(yield func(session.Info, error) bool) {
		if err := guard.Given("the context", ctx); err != nil {
			yield(session.Info{}, err)
			return
		}
		files, err := s.files(ctx)
		if err != nil {
			yield(session.Info{}, err)
			return
		}
		slices.SortStableFunc(files, func(a, b found) int { return b.changed().Compare(a.changed()) })
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		results := s.readInfos(ctx, &wg, files)
		var waiting []session.Info // newest last
		for i := range files {
			var r result
			select {
			case r = <-results[i]:
			case <-ctx.Done():
				yield(session.Info{}, ctx.Err())
				return
			}
			if r.err != nil {
				if !yield(r.info, r.err) {
					return
				}
				continue
			}
			at, _ := slices.BinarySearchFunc(waiting, r.info, func(a, b session.Info) int {
				return cmp.Or(a.Modified.Compare(b.Modified), -1)
			})
			waiting = slices.Insert(waiting, at, r.info)
			for len(waiting) > 0 && (i+1 == len(files) || !waiting[len(waiting)-1].Modified.Before(files[i+1].changed())) {
				last := waiting[len(waiting)-1]
				waiting = waiting[:len(waiting)-1]
				if !yield(last, nil) {
					return
				}
			}
		}
		for _, info := range slices.Backward(waiting) {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (f found) changed() time.Time {
	if f.info == nil {
		return time.Time{}
	}
	return f.info.ModTime()
}

type result struct {
	info session.Info
	err  error
}

// readInfos reads files in order, a few at once. The channels have room for
// one result, so that no goroutine blocks after the reader has gone.
func (s *store) readInfos(ctx context.Context, wg *sync.WaitGroup, files []found) []chan result {
	results := make([]chan result, len(files))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	next := make(chan int)
	wg.Go(func() {
		defer close(next)
		for i := range files {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range min(readers, len(files)) {
		wg.Go(func() {
			var buf []byte
			for i := range next {
				info, err := s.readInfo(files[i].path, &buf)
				results[i] <- result{info, err}
			}
		})
	}
	return results
}
