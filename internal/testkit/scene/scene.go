// Package scene reads conversations that are written as text, for tests and
// measurements: a few lines say what user, assistant and tools did, and the
// scene gives the messages as the named agent would have stored them.
//
//	agent: codex
//	cwd: /home/mara/src/kiosk
//	---
//	U Repair the till.
//	A The sum is wrong.
//	E till.go
//	- a + b
//	+ a - b
//	$ go test ./...
//	| FAIL	kiosk/till
//	! 1
//
// U is the user, A the assistant; further lines of a text begin with two
// blanks. $ runs a command, "& ID" starts one in the background and "? ID"
// asks about it; R reads, W writes and E edits a file, D deletes it; T sends a
// list of work, Q asks the user, H is a message of the agent itself, F reads a
// file of so many lines. "|" is a line of output or content, "!" says how a
// call ended: an exit code, "refused: words", "not made: why", "stopped",
// "failed", "running".
package scene

import (
	"fmt"
	"strings"
)

// Scene is a conversation.
type Scene struct {
	Head  map[string][]string // the lines before ---, by name
	steps []step
}

// step is one line and what belongs to it.
type step struct {
	kind     byte
	text     string
	body     []string // lines with |
	old, new []string // of an edit
	end      string   // after !
}

// Get returns the first value of a name in the head, or "".
func (s *Scene) Get(name string) string {
	if v := s.Head[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

const kinds = "UA$&?RWEDTQHF"

// Parse reads a scene.
func Parse(text string) (*Scene, error) {
	s := &Scene{Head: map[string][]string{}}
	head := true
	for n, line := range strings.Split(text, "\n") {
		if head {
			if head = strings.TrimSpace(line) != "---"; head {
				s.headLine(line)
			}
			continue
		}
		if err := s.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return s, nil
}

func (s *Scene) headLine(line string) {
	if strings.HasPrefix(line, "#") {
		return
	}
	if name, value, ok := strings.Cut(line, ":"); ok {
		name = strings.TrimSpace(name)
		s.Head[name] = append(s.Head[name], strings.TrimSpace(value))
	}
}

func (s *Scene) line(line string) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	mark, rest := line[0], ""
	if len(line) > 1 {
		rest = strings.TrimPrefix(line[1:], " ")
	}
	if strings.IndexByte(kinds, mark) >= 0 && (len(line) == 1 || line[1] == ' ') {
		s.steps = append(s.steps, step{kind: mark, text: rest})
		return nil
	}
	if len(s.steps) == 0 {
		return fmt.Errorf("%q belongs to nothing", line)
	}
	last := &s.steps[len(s.steps)-1]
	switch {
	case strings.HasPrefix(line, "  "):
		last.text += "\n" + line[2:]
	case mark == '|':
		last.body = append(last.body, rest)
	case mark == '-' && last.kind == 'E':
		last.old = append(last.old, rest)
	case mark == '+' && last.kind == 'E':
		last.new = append(last.new, rest)
	case mark == '[' && last.kind == 'T':
		last.body = append(last.body, line)
	case mark == '!':
		last.end = rest
	default:
		return fmt.Errorf("%q is not understood", line)
	}
	return nil
}
