package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed pi.mjs
var piScript []byte

// program is one of the programs that are compared.
type program struct {
	name    string
	command func(s step, path string) []string
	idle    int64 // peak of a process that does nothing, in bytes
}

// rivals are the programs to measure, ours first.
func rivals(f flags) ([]*program, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	programs := []*program{{name: "coppice", command: func(s step, path string) []string {
		return []string{self, "-measure", string(s), path}
	}}}
	if f.pi == "" {
		return programs, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "coppice-pi-")
	if err != nil {
		return nil, nil, err
	}
	script := filepath.Join(dir, "pi.mjs")
	if err := os.WriteFile(script, piScript, 0o600); err != nil {
		return nil, nil, err
	}
	home, err := filepath.Abs(f.pi)
	if err != nil {
		return nil, nil, err
	}
	programs = append(programs, &program{name: "pi 1.6.0", command: func(s step, path string) []string {
		return []string{f.node, script, home, string(s), path}
	}})
	return programs, func() { os.RemoveAll(dir) }, nil
}

// takeTurns measures a step of each program n times, one after the other.
// reset is called after each.
//
// If another program cannot do a step, that is a result too, and the step is not
// repeated. Ours must succeed.
func takeTurns(ctx context.Context, programs []*program, s step, path string, n int, reset func() error) ([][]result, error) {
	results := make([][]result, len(programs))
	for range n {
		for i, p := range programs {
			if failed(results[i]) {
				continue
			}
			if p.idle == 0 {
				r, err := p.run(ctx, stepIdle, path)
				if err != nil {
					return nil, err
				}
				p.idle = r.PeakBytes
			}
			r, err := p.run(ctx, s, path)
			var gaveUp *gaveUpError
			switch {
			case i > 0 && errors.As(err, &gaveUp):
				r.failure = gaveUp.said
			case err != nil:
				return nil, err
			}
			results[i] = append(results[i], r)
			if err := reset(); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

func failed(results []result) bool { return len(results) > 0 && results[len(results)-1].failure != "" }

// limit is how long one process may take.
const limit = 5 * time.Minute

// gaveUpError says that a program ended without a result.
type gaveUpError struct {
	program string
	step    step
	path    string
	said    string
}

func (e *gaveUpError) Error() string {
	return fmt.Sprintf("%s, %s of %s: %s", e.program, e.step, e.path, e.said)
}

func (p *program) run(ctx context.Context, s step, path string) (result, error) {
	args := p.command(s, path)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return result{}, &gaveUpError{p.name, s, path, fmt.Sprintf("no result after %s", limit)}
	case errors.As(err, &exit):
		return result{}, &gaveUpError{p.name, s, path, reason(exit)}
	case err != nil:
		return result{}, fmt.Errorf("%s: %w", p.name, err)
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return result{}, fmt.Errorf("%s, %s of %s: %w", p.name, s, path, err)
	}
	return r, nil
}

// reason is the line in which a program said why it ended, else its exit status.
func reason(exit *exec.ExitError) string {
	for line := range strings.Lines(string(exit.Stderr)) {
		if strings.Contains(line, "FATAL ERROR") || strings.Contains(line, "Error:") {
			return strings.TrimSpace(line)
		}
	}
	said := strings.TrimSpace(string(exit.Stderr))
	if said == "" {
		return exit.Error()
	}
	return said
}
