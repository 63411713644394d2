package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/bench/internal/facts"
	"github.com/coppice-dev/coppice/bench/internal/stage"
	"github.com/coppice-dev/coppice/internal/testkit/replay"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// Ways to reduce a conversation, as the report names them.
const (
	extraction = "extraction"
	headTail   = "head + tail"
	usersOnly  = "user messages"
	ownSummary = "own summary"
)

// maxKeep is the usual size of the recent part, in tokens.
const maxKeep = 20_000

// measureFile measures one session.
func measureFile(ctx context.Context, file string) (*report, error) {
	log, err := filestore.New(filepath.Dir(file), filestore.Options{}).Open(ctx, file, session.Mode{})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	path, err := session.New(log, session.Options{}).Path(ctx, nil)
	if err != nil {
		return nil, err
	}
	r := newReport()
	for _, n := range rounds {
		if err := measureReplay(ctx, r, path, n); err != nil {
			return nil, fmt.Errorf("%d compactions: %w", n, err)
		}
	}
	if err := measureOwn(ctx, r, path); err != nil {
		return nil, fmt.Errorf("own summaries: %w", err)
	}
	return r, nil
}

// measureReplay replays a path with n compactions and grades what is left.
func measureReplay(ctx context.Context, r *report, path []*session.Entry, n int) error {
	s, err := stage.New("/")
	if err != nil {
		return err
	}
	keep := min(maxKeep, replay.Size(path)/10)
	heads, users := &stage.HeadAndTail{}, &stage.UserMessages{}
	covered := 0
	for _, part := range replay.Parts(path, n) {
		if err := s.Grow(ctx, part); err != nil {
			return err
		}
		applied, err := s.Compact(ctx, keep, "")
		if err != nil {
			return err
		}
		if !applied {
			continue
		}
		newly := s.Covered[covered:]
		covered = len(s.Covered)
		heads.Take(newly, s.Budget)
		users.Take(newly, s.Budget)
	}
	if covered == 0 {
		return nil
	}
	c := column{way: extraction, rounds: n}
	r.grade(c, s.Covered, s.Visible, s.Budget)
	r.grade(column{headTail, n}, s.Covered, heads.Text+"\n\n"+s.Tail, stage.Size(heads.Text))
	r.grade(column{usersOnly, n}, s.Covered, users.Text+"\n\n"+s.Tail, stage.Size(users.Text))
	return nil
}

// measureOwn grades the summaries that a model wrote into the session, and
// extraction over the same ranges.
func measureOwn(ctx context.Context, r *report, path []*session.Entry) error {
	counts := func(c *session.Compaction, keepsSome bool) bool { return keepsSome && byModel(c) }
	return stage.Owns(ctx, path, "/", counts, func(o stage.Own) {
		r.grade(column{extraction, 0}, o.Covered, o.Visible, o.Budget)
		r.grade(column{ownSummary, 0}, o.Covered, o.Written.Summary+"\n\n"+o.Tail, stage.Size(o.Written.Summary))
	})
}

// byModel distinguishes summaries of models from those of programs: models were
// asked for Markdown sections and start with one.
func byModel(c *session.Compaction) bool { return len(c.Summary) > 0 && c.Summary[0] == '#' }

// grade lets both graders look at what is visible.
func (r *report) grade(c column, covered []ledger.Source, visible string, spent int64) {
	cell := r.cell(c)
	cell.Measured++
	cell.Tokens += spent
	msgs := make([]*message.Message, len(covered))
	for i, s := range covered {
		msgs[i] = s.Message
	}
	text := facts.NewText(visible)
	for _, f := range facts.Find(msgs) {
		held := text.Holds(f)
		if held || f.Class != facts.Constraint || !written(f.Text, msgs) {
			cell.addFull(f.Class, held)
		}
	}
	for class, score := range plainGrade(msgs, visible) {
		cell.addPlain(class, score)
	}
}

// written reports whether a constraint is an order to write one thing down as
// another, and the session wrote that: "Write the choice down as an ADR" is
// done once docs/adr/0007-queue.md is written. It orders nothing any more.
func written(constraint string, msgs []*message.Message) bool {
	words := strings.FieldsFunc(strings.ToLower(constraint), notLetter)
	if len(words) < 3 || words[0] != "write" {
		return false
	}
	as := len(words) - 1
	if !slices.Contains(words[:as], "as") || orders(constraint) {
		return false
	}
	for _, m := range slices.Backward(msgs) {
		if m.Role == message.RoleUser && strings.Contains(m.Text("\n"), constraint) {
			return false // it was written before the order
		}
		for _, c := range m.ToolCalls() {
			if c.Name == "write" && slices.Contains(strings.FieldsFunc(strings.ToLower(pathOf(c)), notLetter), words[as]) {
				return true
			}
		}
	}
	return false
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }
