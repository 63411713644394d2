package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// repeats is how often a process does its step: first with cold caches of its
// own, then warm.
const repeats = 3

// result is what one process found out. pi.mjs prints the same.
type result struct {
	Milliseconds []float64 `json:"ms"`        // of each repeat
	PeakBytes    int64     `json:"peakBytes"` // behind the first repeat; 0: not known here
	Answer       string    `json:"answer"`    // what came out, to be compared
}

// measure runs one step and prints the result.
func measure(ctx context.Context, s step, path string) error {
	var r result
	if s != stepIdle {
		if err := warm(path); err != nil {
			return err
		}
	}
	for range repeats {
		start := time.Now()
		answer, err := perform(ctx, s, path)
		if err != nil {
			return err
		}
		r.Milliseconds = append(r.Milliseconds, float64(time.Since(start).Microseconds())/1000)
		if r.Answer = answer; r.PeakBytes == 0 {
			r.PeakBytes = peak()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// warm brings a file into the page cache of the system.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

func perform(ctx context.Context, s step, path string) (string, error) {
	if s == stepIdle {
		return "", nil
	}
	// The window is given: looking models up is not what is compared.
	session, err := coppice.Open(ctx, path, coppice.Options{ReadOnly: true, Model: message.Model{Window: 200_000}})
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
	}
	return "", fmt.Errorf("%s: not a step", s)
}

// describeView counts the messages of the log that the view accounts for.
// What it adds for a call without a result, and what it leaves out so that
// a provider accepts the request, is not the other program's affair.
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

// peak is the most memory that this process has had, in bytes, or 0 where the
// system does not tell. A figure of the parent would be wrong: the child of a
// large process begins with its size.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
