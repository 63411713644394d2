package tools

import (
	"cmp"
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

// Answer is the user's answer to a question of the guard.
type Answer int

// The answers.
const (
	Deny         Answer = iota
	AllowOnce           // this call
	AllowSession        // this call and all similar ones, for the lifetime of the guard
)

// Question is a call that may not run without asking.
type Question struct {
	Tool string
	What string // the command, or the path
	Why  string // "changes files", "runs a command", "outside the project"
	// Rule is what AllowSession would allow, in the form of Rules: the tool; for
	// commands those of the same program, for files outside the project those
	// of the same folder.
	Rule string
}

// Verdict is the decision about a call.
type Verdict string

// The verdicts.
const (
	Asked   Verdict = "ask" // it runs if the user allows it
	Allowed Verdict = "allow"
	Denied  Verdict = "deny"
)

// Values returns the words that a setting may have.
func (Verdict) Values() []string { return []string{string(Allowed), string(Asked), string(Denied)} }

// Guard decides which calls may run: reading and searching inside the project
// freely, everything else when rules or the user allow it (docs/agent.md).
type Guard struct {
	Dir   string // the project
	Yolo  bool   // do not ask: what the rules do not deny may run
	Rules Rules  // come first
	// Ask asks the user, one question at a time; nil: no one can be asked, and
	// the answer is no.
	Ask func(ctx context.Context, q Question) (Answer, error)

	asking  sync.Mutex
	mu      sync.Mutex
	allowed map[string]bool
}

// Permit is an agent.Permit.
func (g *Guard) Permit(ctx context.Context, t agent.Tool, c agent.Call) error {
	q, verdict := g.judge(t, c)
	switch {
	case verdict == Denied:
		return fmt.Errorf("the settings do not allow %s %s", q.Tool, q.What)
	case verdict == Allowed || g.Yolo || g.isAllowed(q.Rule):
		return nil
	case g.Ask == nil:
		return fmt.Errorf("%s %s is not allowed, and no one can be asked", q.Tool, q.What)
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

// judge decides about a call before anyone is asked.
func (g *Guard) judge(t agent.Tool, c agent.Call) (Question, Verdict) {
	q, needs := question(g.Dir, t, c)
	about := subject{tool: q.Tool, what: q.What, isPath: isFileTool(t.Name), dir: g.Dir}
	if _, denied := about.first(g.Rules.Deny, false); denied {
		return q, Denied
	}
	if rule, asked := about.first(g.Rules.Ask, false); asked {
		q.Rule = rule
		if !needs {
			q.Why = "the settings require asking"
		}
		return q, Asked
	}
	if _, allowed := about.first(g.Rules.Allow, true); allowed || !needs {
		return q, Allowed
	}
	return q, cmp.Or(g.Rules.Default, Asked)
}

func (g *Guard) isAllowed(rule string) bool {
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

// isFileTool reports whether one of our tools works on a path.
func isFileTool(name string) bool {
	switch name {
	case "read", "grep", "find", "write", "edit":
		return true
	}
	return false
}

// question returns what to ask before a call; false: it does not need
// permission.
func question(dir string, t agent.Tool, c agent.Call) (Question, bool) {
	arg := func(name string) string { return rawjson.String(rawjson.Get(c.Arguments, name)) }
	q := Question{Tool: t.Name, Rule: t.Name}
	switch {
	case t.Name == "bash":
		q.What, q.Why = arg("command"), "runs a command"
		q.Rule = "bash " + like(q.What)
		return q, true
	case !isFileTool(t.Name):
		q.What, q.Why = string(c.Arguments), "changes something"
		return q, !t.Parallel // otherwise it changes nothing
	}
	path := resolve(dir, arg("path"))
	q.What = path
	if !inside(dir, path) {
		q.Why = "outside the project"
		q.Rule += " " + filepath.ToSlash(filepath.Join(filepath.Dir(path), "*"))
		return q, true
	}
	q.Why = "changes files"
	return q, t.Name == "write" || t.Name == "edit"
}

// like returns a pattern for similar commands: those of the same program, or
// only this command if it could run other programs.
func like(command string) string {
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if !simple(command) || starts(command) || strings.ContainsAny(program, "=*\\\"'") {
		return command
	}
	return program + " *"
}

// inside reports whether a path leads into dir, following links as far as the
// path exists. A broken link could lead anywhere, so it is outside.
func inside(dir, path string) bool {
	realDir, ok := follow(dir)
	realPath, ok2 := follow(path)
	if !ok || !ok2 {
		return false
	}
	rel, err := filepath.Rel(realDir, realPath)
	return err == nil && filepath.IsLocal(rel)
}

// follow follows the links of a path as far as it exists. It reports false for
// a broken link.
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
