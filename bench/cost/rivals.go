package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// keepRecent is how much pi and oh-my-pi keep of the newest messages, in tokens.
const keepRecent = 20_000

// fileLists are the lists of files in a summary.
var fileLists = regexp.MustCompile(`(?s)\n*<(read-files|modified-files)>.*?</(?:read-files|modified-files)>\n*`)

// pi compacts as pi 1.6 does.
type pi struct {
	threshold      func(window int64) int64
	listed         int // file names in each list of a summary; 0: all
	read, modified map[string]bool
}

func newPi() *pi {
	return &pi{threshold: func(window int64) int64 { return window - 16384 }, read: map[string]bool{}, modified: map[string]bool{}}
}

func (p *pi) reduce(ctx context.Context, s *stage, at time.Time) error {
	v, err := s.project(ctx)
	if err != nil || must.Get(v.Size(tokens.Default{}, 0)).Decision() <= p.threshold(s.model.Window) {
		return err
	}
	keep := int64(keepRecent)
	// Without a window the plan is pi's, which does not check what will fit.
	plan, err := compaction.MakePlan(compaction.PlanInput{View: v, Settings: compaction.Settings{}, Trigger: compaction.Threshold, Keep: &keep})
	if err != nil || plan.Skip != "" || plan.FirstKept == nil {
		return err
	}
	history, prefix, err := plan.Messages()
	if err != nil {
		return err
	}
	previous := ""
	if plan.Previous != nil {
		previous = strings.TrimSpace(fileLists.ReplaceAllString(plan.Previous.Compaction().Summary, "\n\n"))
	}
	var parts []string
	if len(history) > 0 {
		parts = append(parts, p.ask(s, at, history, previous, historySummary))
	} else if previous != "" {
		parts = append(parts, previous)
	}
	if len(prefix) > 0 {
		parts = append(parts, p.ask(s, at, prefix, "", prefixSummary))
	}
	summary := strings.Join(parts, "\n\n---\n\n**Turn Context (split turn):**\n\n") + p.files(slices.Concat(history, prefix))
	return s.append(ctx, session.CompactionDraft(&session.Compaction{Summary: summary, FirstKeptEntryID: plan.FirstKept.ID,
		TokensBefore: plan.Size.Decision(), System: v.Prompt.Message()}))
}

// ask sends a part of the conversation as text, in a separate request.
func (p *pi) ask(s *stage, at time.Time, msgs []*message.Message, previous string, limit int64) string {
	var size int64
	for _, m := range msgs {
		size += tokens.Default{}.Message(m)
	}
	const instructions = 600 // about the size of pi's
	text := summarize.SerializeConversation(msgs, summarize.SerializeOptions{}) + previous + strings.Repeat("word", instructions)
	answer := summaryOf(size, limit)
	s.send(call{at: at, output: tokens.Default{}.Text(answer), detached: true, summary: true},
		timeline.Request{Messages: []*message.Message{{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}}}, "")
	return answer
}

// files lists the files of everything that was summarized so far.
func (p *pi) files(msgs []*message.Message) string {
	for _, m := range msgs {
		for _, c := range m.ToolCalls() {
			path := rawjson.String(rawjson.Get(c.Arguments, "path"))
			switch {
			case path == "":
			case c.Name == "read":
				p.read[path] = true
			case c.Name == "edit", c.Name == "write":
				p.modified[path] = true
			}
		}
	}
	var read, modified []string
	for path := range p.read {
		if !p.modified[path] {
			read = append(read, path)
		}
	}
	for path := range p.modified {
		modified = append(modified, path)
	}
	return p.list("read-files", read) + p.list("modified-files", modified)
}

func (p *pi) list(tag string, paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	slices.Sort(paths)
	if p.listed > 0 && len(paths) > p.listed {
		paths = append(paths[:p.listed:p.listed], "… (more files omitted)")
	}
	return "\n\n<" + tag + ">\n" + strings.Join(paths, "\n") + "\n</" + tag + ">"
}

// omp prunes as oh-my-pi 18 does, then compacts as pi.
type omp struct{ pi }

func newOmp() *omp {
	o := &omp{*newPi()}
	o.threshold = func(window int64) int64 { return window - max(window*15/100, 16384) }
	o.listed = 20
	return o
}

// Constants of oh-my-pi's pruning, in tokens unless noted.
const (
	ompProtect = 40_000
	ompSavings = 20_000
	ompLeast   = 50
	ompTail    = 8_000
	ompIdle    = 90 * time.Minute
)

func (o *omp) reduce(ctx context.Context, s *stage, at time.Time) error {
	v, err := s.project(ctx)
	if err != nil {
		return err
	}
	edits := ompSuperseded(v, at)
	if must.Get(v.Size(tokens.Default{}, 0)).Decision() > o.threshold(s.model.Window) {
		edits = append(edits, ompOld(v)...)
	}
	if len(edits) > 0 {
		if err := s.append(ctx, edits...); err != nil {
			return err
		}
	}
	return o.pi.reduce(ctx, s, at)
}

func ompEdit(it timeline.Item, text string) session.Draft {
	return session.EditDraft(it.Entry.ID, []message.Block{message.Text{Text: text}})
}

// ompResult reports whether an item is a result that may be pruned.
func ompResult(it timeline.Item) bool {
	return it.Entry != nil && it.Pos >= 0 && !it.Edited && it.Role() == message.RoleToolResult
}

// ompOld is the pruning by age.
func ompOld(v *timeline.View) []session.Draft {
	var passed, saved int64
	var out []session.Draft
	for _, it := range slices.Backward(v.Items) {
		if it.Entry == nil || it.Role() != message.RoleToolResult {
			continue
		}
		size := tokens.Default{}.Message(must.Get(it.Message()))
		if passed >= ompProtect && ompResult(it) && size >= ompLeast && must.Get(it.Message()).ToolName != "skill" {
			const notice = 9 // its size
			saved += size - notice
			out = append(out, ompEdit(it, fmt.Sprintf("[Output truncated - %d tokens]", size)))
		}
		passed += size
	}
	if saved < ompSavings {
		return nil
	}
	return out
}

// ompSuperseded finds reads replaced by a later one of the same lines or of the
// whole file, if the prompt cache loses little by dropping them.
func ompSuperseded(v *timeline.View, at time.Time) []session.Draft {
	calls := map[string]message.ToolCall{}
	var last time.Time
	for _, it := range v.Items {
		for _, c := range must.Get(it.Message()).ToolCalls() {
			calls[c.ID] = c
		}
		if it.Role() == message.RoleAssistant {
			last = must.Get(it.Message()).Time
		}
	}
	idle := !last.IsZero() && at.Sub(last) >= ompIdle
	later := map[string]bool{}
	var after int64
	var out []session.Draft
	for _, it := range slices.Backward(v.Items) {
		size := tokens.Default{}.Message(must.Get(it.Message()))
		if c := calls[must.Get(it.Message()).ToolCallID]; it.Role() == message.RoleToolResult && c.Name == "read" {
			path, lines := readKey(c.Arguments)
			if (later[path] || later[path+lines]) && ompResult(it) && (idle || after <= ompTail) {
				out = append(out, ompEdit(it, "[Superseded by a newer read of this file]"))
			}
			if !must.Get(it.Message()).IsError {
				later[path+lines] = true
			}
		}
		after += size
	}
	return out
}

// readKey is the file of a read and the lines, if it asked for some.
func readKey(args []byte) (path, lines string) {
	for k, v := range rawjson.Members(args) {
		switch k {
		case "path":
			path = rawjson.String(v)
		case "offset", "limit":
			lines += "\x00" + k + string(v)
		}
	}
	return path, lines
}
