package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/bench/internal/stage"
	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/all"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// measureCorpus judges the summaries that models wrote into the sessions below
// a folder.
func measureCorpus(ctx context.Context, w io.Writer, folder string, log io.Writer) error {
	files, err := filesBelow(folder)
	if err != nil {
		return err
	}
	r := newReport(extraction, headTail, ownSummary)
	for _, file := range files {
		path, cwd, agent, err := imported(ctx, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := measurePath(ctx, r, path, cwd, agent, log); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if r.all() == 0 {
		return fmt.Errorf("no session below %s has a summary that a model wrote", folder)
	}
	fmt.Fprintf(w, "\nAt the places of %d summaries that models wrote into real sessions, over the same ranges, graded by package state:\n\n", r.all())
	r.markdown(w, "sessions of", "summaries")
	return nil
}

func filesBelow(folder string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, path)
		}
		return err
	})
	return out, err
}

// imported reads the conversation of a file, whatever agent's it is. Of a file
// that is not a session it returns nothing.
func imported(ctx context.Context, file string) (path []*session.Entry, cwd, agent string, err error) {
	src := convert.Source{Path: file, Open: func() (io.ReadCloser, error) { return os.Open(file) }}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", "", err
	}
	head, err := io.ReadAll(io.LimitReader(f, all.HeadSize))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, "", "", err
	}
	im, ok := all.Detect(file, head)
	if !ok {
		return nil, "", "", nil
	}
	h, err := im.Describe(ctx, src)
	if err != nil {
		return nil, "", "", nil //nolint:nilerr // it is damaged, or holds no session
	}
	now := func() time.Time { return time.Unix(0, 0) }
	store, err := memstore.New(now).Create(ctx, h.Complete(now()))
	if err != nil {
		return nil, "", "", err
	}
	s := session.New(store, session.Options{Now: now})
	sink := convert.NewSink(s)
	if err := im.Import(ctx, src, sink); err != nil {
		return nil, "", "", nil //nolint:nilerr // as above
	}
	if err := sink.Flush(ctx); err != nil {
		return nil, "", "", err
	}
	path, err = s.Path(ctx, nil)
	return path, h.Cwd, im.Name(), err
}

// measurePath judges each summary of a model in a path where it was made.
func measurePath(ctx context.Context, r *report, path []*session.Entry, cwd, agent string, log io.Writer) error {
	return stage.Owns(ctx, path, cwd, func(c *session.Compaction, _ bool) bool { return byModel(c.Summary) }, func(o stage.Own) {
		arms := armsOf(o.Stage)
		arms[ownSummary] = arm{o.Written.Summary, o.Tail, stage.Size(o.Written.Summary)}
		r.count(agent)
		judgeByState(ctx, r, arms, o.Path, o.Kept, cwd, agent, log)
	})
}

// byModel tells summaries of models: they were asked for Markdown sections, or
// for numbered ones.
func byModel(summary string) bool {
	return len(summary) > 200 && (strings.Contains(summary, "\n#") || strings.HasPrefix(summary, "#") || strings.Contains(summary, "\n1. ") || strings.Contains(summary, "**"))
}

// judgeByState judges summaries of everything before path[kept] by what is true
// at the end of path.
func judgeByState(ctx context.Context, r *report, arms map[string]arm, path []*session.Entry, kept int, cwd, agent string, log io.Writer) {
	var sources []ledger.Source
	cut := 0
	for i, e := range path {
		if thread.IsMessage(e) && e.Type != session.TypeCompaction {
			sources = append(sources, ledger.Source{EntryID: e.ID, Message: must.Get(e.Message())})
			if i < kept {
				cut = len(sources)
			}
		}
	}
	st := state.Fold(sources, state.Options{Cwd: cwd, Mask: strings.Clone})
	covered := func(it *state.Item) bool { return it.First < cut }
	musts := len(state.NewText("").Missing(ctx, st, covered))
	for _, name := range r.arms {
		a := arms[name]
		missing := state.NewText(a.summary+"\n\n"+a.rest).Missing(ctx, st, covered)
		wrong := state.NewText(a.summary).Contradictions(ctx, st)
		r.add(agent, name, score{musts, musts - len(missing), len(wrong), a.tokens})
		fmt.Fprintf(log, "\n==== %s, %s: %d of %d\n", path[len(path)-1].ID, name, musts-len(missing), musts)
		for _, it := range missing {
			fmt.Fprintf(log, "MISSING %s: %s\n", it.Kind, it.Line())
		}
		for _, c := range wrong {
			fmt.Fprintf(log, "STALE %s\n  (%s)\n", c.Text, c.Right)
		}
	}
}
