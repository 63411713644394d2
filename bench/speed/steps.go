package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/timeline"
)

// perform does a read-only step and returns its result in words.
func perform(ctx context.Context, s step, path string) (string, error) {
	switch s {
	case stepIdle:
		return "", nil
	case stepList:
		return list(ctx, path)
	}
	// The window is given: looking up models is not part of the comparison.
	session, err := coppice.Open(ctx, path, coppice.Options{ReadOnly: true, Facts: message.Model{Provider: "anthropic", ID: "claude-opus-4-5", Window: 200_000}})
	if err != nil {
		return "", err
	}
	defer session.Close()
	switch s {
	case stepContext:
		v, err := session.View(ctx)
		if err != nil {
			return "", err
		}
		return describeView(v), nil
	case stepPlan:
		p, err := session.Plan(ctx, compaction.Request{})
		if err != nil {
			return "", err
		}
		return describePlan(p), nil
	case stepTree:
		return tree(ctx, session.Log())
	}
	return "", fmt.Errorf("%s: not a step", s)
}

// describeView counts the messages of the log that the view accounts for.
// What it adds for a call without a result, and what it leaves out so that a
// provider accepts the request, the other program does not have.
func describeView(v *timeline.View) string {
	n := len(v.LeftOut)
	for _, it := range v.Items {
		if it.Kind == "" {
			n++
		}
	}
	return fmt.Sprintf("%d messages", n)
}

func describePlan(p *compaction.Plan) string {
	if p.Skip != "" {
		return string(p.Skip)
	}
	return fmt.Sprintf("%d+%d summarized, kept from %s", len(p.History), len(p.Prefix), p.FirstKept.ID)
}

// tree reads the tree: the id, type, place and parent of each entry, and the
// labels in force.
func tree(ctx context.Context, log session.Log) (string, error) {
	t, err := shape.Read(ctx, log)
	if err != nil {
		return "", err
	}
	labels := map[string]string{}
	for _, n := range t.Nodes {
		if n.Type != session.TypeLabel {
			continue
		}
		e, err := log.Find(ctx, n.ID, n.At)
		if err != nil {
			return "", err
		}
		labels[e.Label().TargetID] = e.Label().Label
	}
	roots, inner := 0, make([]bool, len(t.Nodes))
	for _, up := range t.Up {
		if up < 0 {
			roots++
		} else {
			inner[up] = true
		}
	}
	ends := 0
	for _, in := range inner {
		if !in {
			ends++
		}
	}
	return fmt.Sprintf("%d entries, roots: %d, ends: %d", len(t.Nodes), roots, ends), nil
}

// list reads what a list of the sessions in a folder shows.
func list(ctx context.Context, dir string) (string, error) {
	n, newest := 0, time.Time{}
	for info, err := range filestore.New(dir, filestore.Options{}).List(ctx) {
		if err != nil {
			return "", err
		}
		if n++; n == 1 {
			newest = info.Modified
		}
	}
	return fmt.Sprintf("%d sessions, newest of %s", n, codec.FormatTime(newest)), nil
}

// measureAppends opens a session and times appends to it, one message each.
func measureAppends(ctx context.Context, s step, path string) (r result, err error) {
	const uncounted, counted = 20, 300
	mode := filestore.SyncOff
	if s == stepSynced {
		mode = filestore.SyncAlways
	}
	before, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	log, err := filestore.New(filepath.Dir(path), filestore.Options{Sync: mode}).Open(ctx, path, session.Mode{Write: true})
	if err != nil {
		return r, err
	}
	session, err := coppice.New(log, coppice.Options{})
	if err != nil {
		return r, err
	}
	defer session.Close()
	body := strings.Repeat("x", 1200)
	for i := range uncounted + counted {
		m := &message.Message{Role: message.RoleAssistant, Content: text(body), API: "anthropic-messages", Provider: "anthropic",
			Model: "test", Usage: &message.Usage{Input: 1, Output: 1, TotalTokens: 2}, StopReason: message.StopEnd, Time: time.Now()}
		start := time.Now()
		if _, err := session.Say(ctx, m); err != nil {
			return r, err
		}
		if took := time.Since(start); i >= uncounted {
			r.Milliseconds = append(r.Milliseconds, milliseconds(took))
		}
	}
	r.PeakBytes = peak()
	r.Answer, err = describeAppended(path, before.Size())
	return r, err
}

// describeAppended counts the lines of a file from an offset on.
func describeAppended(path string, from int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	added := make([]byte, info.Size()-from)
	if _, err := f.ReadAt(added, from); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d lines more", bytes.Count(added, []byte("\n"))), nil
}
