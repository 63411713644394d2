package cli

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// written is the output of a run. It remembers the first error, so that code
// that prints need not check: output that could not be written fails the run.
type written struct {
	to io.Writer

	mu  sync.Mutex
	err error
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.to.Write(p)
	w.err = err
	return n, err
}

// fail remembers an error from before the first write.
func (w *written) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *written) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// codePipe is the exit code that a shell shows for a program that SIGPIPE
// ended.
const codePipe exitCode = 128 + 13

// unwritten is the error of a run that could not print. There is no error if
// the reader has closed the pipe.
func unwritten(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return codePipe
	}
	return &failure{Code: codeFailed, What: "output", Why: plain(err), Try: tryFor(err)}
}
