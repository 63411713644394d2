package mcp

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	grace      = 2 * time.Second // for a server to end when it is told to
	stragglers = time.Second     // for what it started, to let go of its standard error
	maxStderr  = 1 << 10         // bytes of standard error that are kept
)

// process is a server that runs as a program.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	stderr *lastBytes
	ended  chan struct{}
}

func startProcess(s Server, dir string, env []string) (*process, error) {
	p := &process{cmd: exec.Command(s.Command, s.Args...), stderr: &lastBytes{}, ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = dir, env, p.stderr, stragglers
	inGroup(p.cmd)
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// A pipe of our own: one of the command's is closed at its end, with what
	// it said last still in it.
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.stdout, p.cmd.Stdout = in, out
	err = p.cmd.Start()
	_ = out.Close() // the program has its own
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ended, its standard error tells
		killGroup(p.cmd) // what it has left behind would hold its output open
		close(p.ended)
	}()
	return p, nil
}

// end ends the program: it is told by the end of its input, then killed with
// all that it has started.
func (p *process) end() {
	_ = p.stdin.Close()
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case <-p.ended:
	case <-wait.C:
		killGroup(p.cmd)
		<-p.ended
	}
	_ = p.stdout.Close()
}

// lastBytes keeps the end of what is written.
type lastBytes struct {
	mu   sync.Mutex
	data []byte
}

// Write takes what a program says.
func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = append(l.data, p...)
	if over := len(l.data) - maxStderr; over > 0 {
		l.data = append(l.data[:0], l.data[over:]...)
	}
	return len(p), nil
}

func (l *lastBytes) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.data)
}
