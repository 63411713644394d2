package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Answer is what a user says to a question of the guard.
type Answer int

// The answers.
const (
	Deny         Answer = iota
	AllowOnce           // this call
	AllowSession        // this call and all like it, as long as the guard lives
)

// Question is a call that may not run unasked.
type Question struct {
	Tool string
	What string // the command, or the path
	Why  string // "changes files", "runs a command", "outside the project"
	// Rule is what AllowSession would allow: the tool, and for files outside
	// the project their folder.
	Rule string
}

// Guard decides which calls may run: reading and searching inside the project
// freely, everything else when the user allows it (spec/agent.md).
type Guard struct {
	Dir  string // the project
	Yolo bool   // allow everything
	// Allow names rules that are allowed beforehand, in the form of
	// Question.Rule.
	Allow []string
	// Ask asks the user, one question at a time; nil: nobody is there, and
	// the answer is no.
	Ask func(ctx context.Context, q Question) (Answer, error)

	asking  sync.Mutex
	mu      sync.Mutex
	allowed map[string]bool
}

// Permit is an agent.Permit.
func (g *Guard) Permit(ctx context.Context, t agent.Tool, c agent.Call) error {
	q, ask := question(g.Dir, t, c)
	if !ask || g.Yolo || g.isAllowed(q.Rule) {
		return nil
	}
	if g.Ask == nil {
		return fmt.Errorf("%s %s is not allowed here, and nobody can be asked", q.Tool, q.What)
	}
	g.asking.Lock()
	defer g.asking.Unlock()
	if g.isAllowed(q.Rule) { // answered while this call waited
		return nil
	}
	answer, err := g.Ask(ctx, q)
	switch {
	case err != nil:
		return fmt.Errorf("not allowed: %w", err)
	case answer == Deny:
		return errors.New("the user did not allow it")
	case answer == AllowSession:
		g.remember(q.Rule)
	}
	return nil
}

func (g *Guard) isAllowed(rule string) bool {
	for _, r := range g.Allow {
		if r == rule {
			return true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allowed[rule]
}

func (g *Guard) remember(rule string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.allowed == nil {
		g.allowed = map[string]bool{}
	}
	g.allowed[rule] = true
}

// question is what to ask before a call; false: it may run.
func question(dir string, t agent.Tool, c agent.Call) (Question, bool) {
	arg := func(name string) string { return rawjson.String(rawjson.Get(c.Arguments, name)) }
	q := Question{Tool: t.Name, Rule: t.Name}
	switch t.Name {
	case "recall":
		return q, false
	case "bash":
		q.What, q.Why = arg("command"), "runs a command"
		q.Rule = "bash " + program(q.What)
		return q, true
	case "read", "grep", "find", "write", "edit":
	default:
		if t.Parallel {
			return q, false // it changes nothing
		}
		q.What, q.Why = string(c.Arguments), "changes something"
		return q, true
	}
	path := resolve(dir, arg("path"))
	q.What = path
	if !inside(dir, path) {
		q.Why = "outside the project"
		q.Rule += " " + filepath.Dir(path)
		return q, true
	}
	q.Why = "changes files"
	return q, t.Name == "write" || t.Name == "edit"
}

// program is the command by whose name a rule goes: the first word of a simple
// command, the whole of one that could run more than that.
func program(command string) string {
	if strings.ContainsAny(command, ";&|`$(){}<>\n\\\"'") {
		return command
	}
	first, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return first
}

// inside reports whether a path leads into dir, links followed as far as the
// path exists. A link that leads nowhere could lead anywhere.
func inside(dir, path string) bool {
	realDir, ok := follow(dir)
	realPath, ok2 := follow(path)
	if !ok || !ok2 {
		return false
	}
	rel, err := filepath.Rel(realDir, realPath)
	return err == nil && filepath.IsLocal(rel)
}

// follow follows the links of a path as far as it exists. It reports false
// for a link that leads nowhere.
func follow(path string) (string, bool) {
	rest := ""
	for p := filepath.Clean(path); ; {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(r, rest), true
		}
		if _, err := os.Lstat(p); err == nil {
			return "", false
		}
		parent := filepath.Dir(p)
		if parent == p {
			return "", false
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = parent
	}
}
