package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// work shows a command's progress on standard error, if that is a terminal and
// the work takes more than a moment.
type work struct {
	to    io.Writer // nil: no terminal
	clear string    // clears its line
	line  *atomic.Bool
	quit  chan struct{}
	done  sync.WaitGroup

	mu      sync.Mutex
	what    string
	percent int64 // -1: not known
	shown   bool
	ended   bool
}

// When the line appears, and how often it changes.
const (
	workPatience = 700 * time.Millisecond
	workInterval = 200 * time.Millisecond
)

// work starts showing progress. Stop it before printing anything else.
func (a *app) work(what string) *work {
	w := &work{what: what, percent: -1}
	if w.clear = a.clearLine(); w.clear == "" {
		return w
	}
	w.to, w.line, w.quit = a.Err, &a.lineShown, make(chan struct{})
	w.done.Go(w.run)
	return w
}

func (w *work) run() {
	t := time.NewTimer(workPatience)
	defer t.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-t.C:
			w.draw()
			t.Reset(workInterval)
		}
	}
}

func (w *work) draw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := w.what
	if w.percent >= 0 {
		line += fmt.Sprintf(": %d%%", w.percent)
	}
	w.shown = true
	w.line.Store(true)
	fmt.Fprint(w.to, w.clear+visible(line))
}

// at sets what the command is doing now.
func (w *work) at(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what, w.percent = what, -1
}

// part sets how much of it is done.
func (w *work) part(done, total int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.percent = min(100*done/max(total, 1), 100)
}

// stop removes the line. It may be called more than once.
func (w *work) stop() {
	if w.to == nil || w.ended {
		return
	}
	w.ended = true
	close(w.quit)
	w.done.Wait()
	if w.shown {
		w.line.Store(false)
		fmt.Fprint(w.to, w.clear)
	}
}

// promptly runs f, which does not watch ctx, and abandons it when ctx ends. f
// must not have effects or read anything that is closed then.
func promptly[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	answers := make(chan answer, 1)
	go func() {
		v, err := f()
		answers <- answer{v, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
