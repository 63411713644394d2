package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Limits on what a program may write, in bytes. A view with images has to fit
// into an answer.
const (
	maxAnswer = 64 << 20
	maxReason = 64 << 10
)

// exitCancel is the exit status that cancels (docs/hooks.md).
const exitCancel = 2

// veto is the error for a program's exit status 2.
type veto struct{ why string }

func (v *veto) Error() string { return "cancelled: " + v.why }

// run gives an event to a program and returns what it wrote, once the program
// has ended. A *veto error means that the program cancels.
func (b *Bus) run(ctx context.Context, h hook, event []byte) ([]byte, error) {
	if h.found && h.project {
		if err := b.stillTrusted(); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, b.resolve(h.command[0]), h.command[1:]...)
	cmd.Dir = b.opts.Dir
	cmd.Stdin = bytes.NewReader(append(event, '\n'))
	out := &bounded{limit: b.maxAnswer, full: func() { stop(fmt.Errorf("it wrote more than %d bytes", b.maxAnswer)) }}
	reason := &bounded{limit: maxReason, full: func() {}}
	cmd.Stdout, cmd.Stderr = out, reason
	cmd.WaitDelay = b.delay
	ownGroup(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		killGroup(cmd)
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a process that it left running holds its output, but it has answered
		err = nil
	}
	var exit *exec.ExitError
	switch {
	case err == nil && !out.over:
		return out.buf.Bytes(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == exitCancel:
		return nil, &veto{why: strings.ToValidUTF8(strings.TrimSpace(reason.buf.String()), "\uFFFD")}
	}
	if said := excerpt(reason.buf.Bytes()); said != "" {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return nil, err
}

// resolve makes a path with a separator absolute, relative to the project's
// folder; a plain name is looked up in PATH.
func (b *Bus) resolve(name string) string {
	if filepath.IsAbs(name) || filepath.Base(name) == name {
		return name
	}
	if abs, err := filepath.Abs(filepath.Join(cmp.Or(b.opts.Dir, "."), name)); err == nil {
		return abs
	}
	return name
}

// bounded keeps what is written up to a limit and drops the rest. The buffer
// is not embedded, because its ReadFrom would let io.Copy exceed the limit.
type bounded struct {
	buf   bytes.Buffer
	limit int
	over  bool
	full  func() // called once, when something is first dropped
}

func (w *bounded) Write(p []byte) (int, error) {
	free := w.limit - w.buf.Len()
	if len(p) > free && !w.over {
		w.over = true
		w.full()
	}
	w.buf.Write(p[:min(len(p), free)])
	return len(p), nil
}
