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
	stragglers = time.Second     // for its children to close its standard error
	maxStderr  = 1 << 10         // bytes of standard error to keep
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
	// Our own pipe: the command would close its own at its end, with the last
	// output still in it.
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
		_ = p.cmd.Wait() // its standard error says how it ended
		killGroup(p.cmd) // its leftover children would hold its output open
		close(p.ended)
	}()
	return p, nil
}

// end ends the program: its input is closed, then it is killed with all its
// children.
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
