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
)

//go:embed pi.mjs
var piScript []byte

// program is one of those that are compared.
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
func takeTurns(ctx context.Context, programs []*program, s step, path string, n int) ([][]result, error) {
	results := make([][]result, len(programs))
	for range n {
		for i, p := range programs {
			if p.idle == 0 {
				r, err := p.run(ctx, stepIdle, path)
				if err != nil {
					return nil, err
				}
				p.idle = r.PeakBytes
			}
			r, err := p.run(ctx, s, path)
			if err != nil {
				return nil, err
			}
			results[i] = append(results[i], r)
		}
	}
	return results, nil
}

func (p *program) run(ctx context.Context, s step, path string) (result, error) {
	args := p.command(s, path)
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return result{}, fmt.Errorf("%s, %s of %s: %w: %s", p.name, s, path, err, failed.Stderr)
	}
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", p.name, err)
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return result{}, fmt.Errorf("%s, %s of %s: %w", p.name, s, path, err)
	}
	return r, nil
}
