package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// asProgram is the first argument that makes the test binary a hook program.
const asProgram = "run-as-hook-program"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asProgram {
		os.Exit(program(os.Args[2], os.Args[3:]))
	}
	// Built with the race detector, each program would stay for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// program is a hook program that does what a test wants.
func program(what string, args []string) int {
	switch what {
	case "exit": // code, standard output, standard error
		code, _ := strconv.Atoi(args[0])
		io.WriteString(os.Stdout, args[1])
		io.WriteString(os.Stderr, args[2])
		return code
	case "record": // file, standard output
		in, err := io.ReadAll(os.Stdin)
		if err != nil || os.WriteFile(args[0], in, 0o600) != nil {
			return 1
		}
		io.WriteString(os.Stdout, args[1])
	case "stubborn": // address
		signal.Ignore(syscall.SIGTERM)
		hang(args[0])
	case "hang":
		hang(args[0])
	case "parent": // address
		if spawn("stubborn", args[0]) != nil {
			return 1
		}
		hang(args[0])
	case "flood":
		for page := strings.Repeat("x", 1<<20); ; {
			if _, err := io.WriteString(os.Stdout, page); err != nil {
				return 1
			}
		}
	}
	return 0
}

// hang reports that it has started and then waits for an answer that never comes.
func hang(address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(1)
	}
	io.WriteString(c, "x")
	io.Copy(io.Discard, c)
}

func spawn(args ...string) error {
	cmd := exec.Command(os.Args[0], append([]string{asProgram}, args...)...)
	cmd.Stdout = os.Stdout
	return cmd.Start()
}

// does is a command that runs the test binary as a hook program.
func does(args ...string) []string { return append([]string{os.Args[0], asProgram}, args...) }

// answers is a program that writes an answer.
func answers(e Event, name, answer string) Program {
	return Program{Event: e, Name: name, Command: does("exit", "0", answer, "")}
}

// exits is a program that fails, or cancels with code 2.
func exits(e Event, name string, code int, stderr string) Program {
	return Program{Event: e, Name: name, Command: does("exit", strconv.Itoa(code), "", stderr)}
}

func required(p Program) Program {
	p.Required = true
	return p
}

// reports collects what went wrong.
type reports struct {
	mu   sync.Mutex
	errs []error
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// expect checks that exactly these were reported, in this order, each by a part
// of its text.
func (r *reports) expect(t *testing.T, parts ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := len(r.errs) == len(parts)
	for i := 0; ok && i < len(parts); i++ {
		ok = strings.Contains(r.errs[i].Error(), parts[i])
	}
	if !ok {
		t.Errorf("reported %q, want %q", r.errs, parts)
	}
	r.errs = nil
}

func newBus(programs ...Program) (*Bus, *reports) {
	r := &reports{}
	return New(Options{Programs: programs, Timeout: time.Hour, Report: r.add}), r
}

// listener counts the programs that hang, and sees each of them go: the system
// closes the connections of a process that is gone.
type listener struct {
	t *testing.T
	net.Listener
}

func listen(t *testing.T) listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return listener{t, l}
}

// whenHanging calls then when n programs hang. gone waits for their end.
func (l listener) whenHanging(n int, then func()) (gone func()) {
	conns := make(chan net.Conn, n)
	go func() {
		for range n {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.ReadFull(c, make([]byte, 1))
			conns <- c
		}
		then()
	}()
	return func() {
		for range n {
			c := <-conns
			if n, _ := c.Read(make([]byte, 1)); n > 0 {
				l.t.Error("a hanging program spoke")
			}
			c.Close()
		}
	}
}

var errTimeUp = errors.New("no answer within a moment")

// byHand lets a test end the time limit of running hooks.
func (b *Bus) byHand() (timeUp func()) {
	up := make(chan struct{})
	b.delay = time.Nanosecond
	b.limit = func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		go func() {
			select {
			case <-up:
				cancel(errTimeUp)
			case <-ctx.Done():
			}
		}()
		return ctx, func() { cancel(nil) }
	}
	return func() { close(up) }
}

// handler answers the same each time and notes that it was asked.
func handler[E, A any](asked *[]string, name string, a A, err error) func(context.Context, E) (A, error) {
	return func(context.Context, E) (A, error) {
		*asked = append(*asked, name)
		return a, err
	}
}

func text(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

// work is a session of two turns whose tool output has the given number of words;
// the second turn is split when only the last message is kept.
func work(t *testing.T, words int) *session.Session {
	t.Helper()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	log, err := memstore.New(now).Create(t.Context(), session.Header{ID: "0195", Cwd: "project"}.Complete(at))
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{Now: now})
	t.Cleanup(func() { s.Close() })
	output := strings.Repeat("word ", words)
	msgs := []*message.Message{
		{Role: message.RoleUser, Content: text("Rename the flag 旗 to --quiet.")},
		{Role: message.RoleAssistant, StopReason: message.StopToolUse, Content: []message.Block{message.ToolCall{ID: "c1", Name: "read", Arguments: []byte(`{"path":"flags.go"}`)}}},
		{Role: message.RoleToolResult, ToolCallID: "c1", ToolName: "read", Content: text("package main " + output)},
		{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: text("Renamed.")},
		{Role: message.RoleUser, Content: text("Now run the tests.")},
		{Role: message.RoleAssistant, StopReason: message.StopToolUse, Content: []message.Block{message.ToolCall{ID: "c2", Name: "bash", Arguments: []byte(`{"command":"go test"}`)}}},
		{Role: message.RoleToolResult, ToolCallID: "c2", ToolName: "bash", Content: text("ok " + output)},
		{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: text("All green.")},
	}
	for i, m := range msgs {
		d := session.MessageDraft(m)
		d.ID = fmt.Sprintf("%08x", i+1)
		if _, err := s.Append(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// planned is what hooks are told of a compaction of work.
func planned(t *testing.T, s *session.Session, trigger compaction.Trigger) compaction.BeforeCompact {
	t.Helper()
	v, err := timeline.Project(t.Context(), s, nil, timeline.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	keep := int64(1)
	p, err := compaction.MakePlan(compaction.PlanInput{View: v, Settings: compaction.Settings{}, Trigger: trigger, Keep: &keep})
	if err != nil || p.Skip != "" {
		t.Fatal(err, p.Skip)
	}
	return compaction.BeforeCompact{Plan: p, Settings: compaction.Settings{}, Trigger: trigger}
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
