package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/agent"
)

const (
	maxOutput  = 8 << 20 // bytes of output to keep
	killDelay  = 2 * time.Second
	defaultRun = 10 * time.Minute
	maxRun     = 24 * time.Hour
)

func (b box) bash() agent.Tool {
	return agent.Tool{Name: "bash", Description: "Run a shell command in the project's folder. Returns its output and exit code.",
		Parameters: parameters([3]string{"command", "string", "the command"}, [3]string{"timeout?", "integer", "seconds after which it is stopped (default 600)"}),
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Command string  `json:"command"`
				Timeout float64 `json:"timeout"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			limit := defaultRun
			switch {
			case in.Timeout < 0 || in.Timeout > maxRun.Seconds():
				return agent.Result{}, fmt.Errorf("timeout must be more than 0 and at most %.0f seconds", maxRun.Seconds())
			case in.Timeout > 0:
				limit = time.Duration(in.Timeout * float64(time.Second))
			}
			return b.shell(ctx, in.Command, limit, c.Update)
		}}
}

// errTimeout is the cause of a command that ran too long.
var errTimeout = errors.New("stopped: it ran too long")

// shell runs a command. Stopping it stops all its children.
func (b box) shell(ctx context.Context, command string, limit time.Duration, update func(string)) (agent.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.WaitDelay = b.Dir, b.environment(), killDelay
	inGroup(cmd)
	out := &tail{update: update}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	text := out.String()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return agent.Text(text), context.Cause(ctx)
	case errors.As(err, &exit):
		return agent.Text(text), fmt.Errorf("command exited with code %d", exit.ExitCode())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a child that holds the output open has been abandoned
		return agent.Text(text), err
	}
	return agent.Text(text), nil
}

// tail keeps the beginning and the end of an output.
type tail struct {
	update func(string)

	mu      sync.Mutex
	head    bytes.Buffer
	end     []byte
	dropped int
}

// Write takes what a command says.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	n := min(len(p), maxOutput/2-t.head.Len())
	t.head.Write(p[:n])
	t.end = append(t.end, p[n:]...)
	if over := len(t.end) - maxOutput/2; over > maxOutput/4 { // not at each write: moving costs
		t.end = append(t.end[:0], t.end[over:]...)
		t.dropped += over
	}
	t.mu.Unlock()
	if t.update != nil {
		t.update(string(p))
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped == 0 {
		return t.head.String() + string(t.end)
	}
	return fmt.Sprintf("%s\n[%d bytes were not kept]\n%s", t.head.String(), t.dropped, t.end)
}
