package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/dialects"
)

func (a *app) checkCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupLook, "check SESSION", "Find damage, and requests that a provider would refuse",
		`Read the whole session and report damaged lines, broken references, orphaned
tool results, and what each dialect's provider would refuse in the next request.
Nothing is written. The exit code is 4 when there are errors to report.`,
		"  coppice check work.jsonl", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), args[0], asJSON)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// checkJSON is the shape of `check --json` (docs/cli.md).
type checkJSON struct {
	OK       bool          `json:"ok"`
	Entries  int           `json:"entries"`
	Problems []problemJSON `json:"problems"`
}

func (a *app) check(ctx context.Context, ref string, asJSON bool) error {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	w := a.work("reading " + s.Ref())
	out, err := a.checkSession(ctx, s, w)
	w.stop()
	if err != nil {
		return explain("check "+s.Ref(), err)
	}
	if asJSON {
		a.json(out)
	} else {
		a.printCheck(out)
	}
	if !out.OK {
		return codeProblems
	}
	return nil
}

// checkSession collects what is wrong: in the log, in the view, and in the
// requests that the view makes.
func (a *app) checkSession(ctx context.Context, s *coppice.Session, w *work) (checkJSON, error) {
	out := checkJSON{Problems: []problemJSON{}}
	path, entries := notes{}, faults{}
	tree, err := session.ReadTree(ctx, s.Log(), func(i int, e *session.Entry) error {
		out.Entries++
		path.note(i, e)
		return entries.look(e)
	})
	if err != nil {
		return out, err
	}
	logged, err := s.Log().Problems(ctx, true)
	if err != nil {
		return out, err
	}
	inEntries, err := entries.inFile(ctx, s.Ref())
	if err != nil {
		return out, err
	}
	v, err := s.View(ctx)
	if err != nil {
		return out, err
	}
	facts, err := s.Facts(ctx)
	if err != nil {
		return out, err
	}
	pairs, err := pairProblems(v)
	if err != nil {
		return out, err
	}
	found := slices.Concat(logged, inEntries, v.Problems, pairs)
	type known struct{ id, kind string }
	seen := map[known]bool{}
	for _, p := range append(found, path.hidden(tree.OnPath(), v)...) {
		k := known{p.EntryID, p.Kind}
		if k.id != "" && seen[k] {
			continue // the log and the view report the same first kept entry
		}
		seen[k] = true
		out.Problems = append(out.Problems, problemOf(p))
	}
	w.at("looking at the requests")
	refused, err := promptly(ctx, func() ([]problemJSON, error) {
		req, err := v.Request(false)
		if err != nil {
			return nil, err
		}
		return a.refusals(ctx, req, facts)
	})
	if err != nil {
		return out, err
	}
	out.Problems = append(out.Problems, refused...)
	out.OK = !slices.ContainsFunc(out.Problems, func(p problemJSON) bool { return !isNote(p.Kind) })
	return out, nil
}

// problemOpenCall is a call at the end of the path that has no result. It may
// still be running, so it is a note and not an error.
const problemOpenCall = "open-call"

// problemContinued is a file of format 1 whose session goes on in another.
const problemContinued = "continued"

// isNote reports whether there is nothing wrong in what a problem says.
func isNote(kind string) bool { return kind == problemOpenCall || kind == problemContinued }

// pairProblems reports calls that have no result and results that have no
// call.
func pairProblems(v *timeline.View) ([]session.Problem, error) {
	var out []session.Problem
	for _, l := range v.LeftOut {
		if l.Rule == timeline.RuleOrphanResult {
			out = append(out, session.Problem{Kind: string(l.Rule), EntryID: l.EntryID, Detail: "a tool result without its call; not shown"})
		}
	}
	for i, it := range v.Items {
		if it.Kind != timeline.SyntheticResult {
			continue
		}
		after := slices.ContainsFunc(v.Items[i:], func(o timeline.Item) bool { return o.Group != it.Group })
		m, err := it.Message()
		if err != nil {
			return nil, err
		}
		call := fmt.Sprintf("the call %s of %s", m.ToolCallID, m.ToolName)
		p := session.Problem{Kind: string(it.Kind), Detail: call + " has no result; an error is shown in its place"}
		if !after {
			p = session.Problem{Kind: problemOpenCall, Detail: call + " at the end has no result yet; it may still be running"}
		}
		for j := i; j >= 0 && v.Items[j].Group == it.Group; j-- {
			if e := v.Items[j].Entry; e != nil {
				p.EntryID = e.ID
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// refusals renders the request in each dialect, for a model that speaks it, and
// reports what would be refused. It runs at most as many renderings at a time as there are
// processors.
func (a *app) refusals(ctx context.Context, req timeline.Request, facts message.Model) ([]problemJSON, error) {
	req, saved := stubTexts(req)
	all := dialects.All()
	found := make([][]problemJSON, len(all))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	if saved > 0 {
		g.SetLimit(1)
	}
	var whole []byte // one body after the other
	for i, d := range all {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			var err error
			m, _ := a.speaker(d.Name(), facts)
			found[i], err = refusalsOf(d, req, m, saved, &whole)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// longText is from how many bytes on a text is not rendered whole, and longPart
// where all texts together have more than manyTexts.
const (
	longText  = 1 << 20
	longPart  = 2 << 10
	manyTexts = 32 << 20
)

// longFrom returns from how many bytes on the texts of messages are long.
func longFrom(messages []*message.Message) int {
	all := 0
	for _, m := range messages {
		if m == nil {
			continue
		}
		for _, b := range m.Content {
			if t, ok := b.(message.Text); ok {
				all += len(t.Text)
			}
		}
	}
	if all > manyTexts {
		return longPart
	}
	return longText
}

// stubTexts replaces long texts by their starts, and returns by how many bytes
// the body of the request is smaller for that. No vendor refuses a text for
// what is in it, only for the size of the whole, and rendering copies it many
// times.
func stubTexts(req timeline.Request) (timeline.Request, int) {
	saved, long := 0, longFrom(req.Messages)
	req.Messages = slices.Clone(req.Messages)
	for i, m := range req.Messages {
		if m == nil {
			continue
		}
		for j, b := range m.Content {
			t, ok := b.(message.Text)
			if !ok || len(t.Text) < long {
				continue
			}
			stub := strings.ToValidUTF8(t.Text[:long/16], "") // without half a character at the end
			if strings.TrimSpace(stub) == "" {
				continue
			}
			if m == req.Messages[i] {
				c := *m
				c.Content = slices.Clone(m.Content)
				req.Messages[i] = &c
			}
			saved += len(t.Text) + escapes(t.Text) - len(stub) - escapes(stub)
			t.Text = stub
			req.Messages[i].Content[j] = t
		}
	}
	return req, saved
}

// escapes is how many more bytes a text has in JSON than without escapes.
func escapes(s string) (n int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\t', c == '\r', c == '\b', c == '\f':
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// refusalsOf finds what would be refused of a request whose body has so many more
// bytes than what is rendered of it. whole is memory for such a body.
func refusalsOf(d wire.Dialect, req timeline.Request, m message.Model, more int, whole *[]byte) ([]problemJSON, error) {
	body, err := d.Render(req, m, message.CallOptions{ContentOnly: true})
	if err != nil {
		return nil, fmt.Errorf("render as %s: %w", d.Name(), err)
	}
	if more > 0 {
		// White space makes it as large as it would be.
		*whole = append((*whole)[:0], body...)
		*whole = slices.Grow(*whole, more)[:len(body)+more]
		for i := len(body); i < len(*whole); i++ {
			(*whole)[i] = ' '
		}
		body = *whole
	}
	var out []problemJSON
	for _, p := range d.Validate(body, m, true) {
		out = append(out, problemJSON{Kind: p.Kind, Dialect: d.Name(), Model: m.Key(), Detail: strings.TrimPrefix(p.Where+": "+p.Detail, ": ")})
	}
	return out, nil
}

func (a *app) printCheck(c checkJSON) {
	if len(c.Problems) == 0 {
		a.say("%s, no problems\n", count(c.Entries, "entry", "entries"))
		return
	}
	var rows [][]string
	for _, p := range c.Problems {
		where := p.EntryID
		switch {
		case p.Dialect != "":
			where = p.Dialect + " (" + p.Model + ")"
		case p.Line > 0:
			where = fmt.Sprintf("line %d", p.Line)
		}
		rows = append(rows, []string{where, p.Kind, short(p.Detail, 400)})
	}
	a.table([]column{{}, {color: "208"}, {}}, rows)
	problems := 0
	for _, p := range c.Problems {
		if !isNote(p.Kind) {
			problems++
		}
	}
	a.say("\n%s, %s; nothing was changed\n", count(c.Entries, "entry", "entries"), count(problems, "problem", "problems"))
}
