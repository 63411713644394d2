package provider

import (
	"context"
	"errors"
	"io"
	"time"
)

// errIdle is the cause of a call that was cancelled because the server was
// silent.
var errIdle = errors.New("the server sent nothing for too long")

// watchdog cancels a call whose server falls silent. It only counts while
// the caller waits for the server: a slow reader is not the server's fault.
type watchdog struct {
	idle  time.Duration
	timer *time.Timer
	body  io.ReadCloser
	first bool // nothing has come yet
}

// newWatchdog starts watching; a negative idle never fires.
func newWatchdog(idle time.Duration, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{idle: idle, first: true}
	if idle > 0 {
		w.timer = time.AfterFunc(firstByte*idle, func() { cancel(errIdle) })
	}
	return w
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// watch reads body under the watchdog.
func (w *watchdog) watch(body io.ReadCloser) io.Reader {
	w.body = body
	return w
}

// Read waits for the next bytes, at most as long as the server may be silent.
func (w *watchdog) Read(p []byte) (int, error) {
	if w.timer == nil {
		return w.body.Read(p)
	}
	if !w.first {
		w.timer.Reset(w.idle)
	}
	n, err := w.body.Read(p)
	if n > 0 || err != nil {
		w.first = false
		w.timer.Stop()
	}
	return n, err
}
