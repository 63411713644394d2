package agent

import (
	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/go-json-experiment/json/jsontext"
)

// The events of the agent (docs/agent.md), next to those of the engine
// (coppice.EventCompactionStart and so on). A start event is always followed by
// its end event.
const (
	EventSession       coppice.EventType = "session"
	EventTurnStart     coppice.EventType = "turn_start"
	EventTurnEnd       coppice.EventType = "turn_end"
	EventMessageStart  coppice.EventType = "message_start"
	EventMessageUpdate coppice.EventType = "message_update"
	EventMessageEnd    coppice.EventType = "message_end"
	EventToolStart     coppice.EventType = "tool_start"
	EventToolUpdate    coppice.EventType = "tool_update"
	EventToolEnd       coppice.EventType = "tool_end"
	EventRetryStart    coppice.EventType = "retry_start"
	EventRetryEnd      coppice.EventType = "retry_end"
	EventQueue         coppice.EventType = "queue"
	EventForeign       coppice.EventType = "foreign_append" // another program appended to the session
	EventRunEnd        coppice.EventType = "run_end"        // with what the run has used
	EventError         coppice.EventType = "error"
)

// Event is something that happened. Which fields are set depends on Type; the
// comments name the types. Its JSON form is a line of `coppice run --json`.
type Event struct {
	Type coppice.EventType `json:"type"`

	Session string `json:"session,omitempty"` // session: its id
	File    string `json:"file,omitempty"`    // session: its file or id in the store

	// EntryID names the entry that the event is about. It is set for
	// message_end and tool_end, and for compaction_end and branch_summary_end
	// if applied. prune: the first entry that shows less now. foreign_append:
	// the last of the other program's entries.
	EntryID string       `json:"entryId,omitempty"`
	Role    message.Role `json:"role,omitempty"` // message_*

	TextDelta     string `json:"textDelta,omitempty"`     // message_update
	ThinkingDelta string `json:"thinkingDelta,omitempty"` // message_update

	Text       string             `json:"text,omitempty"`       // message_end, tool_update, tool_end: what is shown
	StopReason message.StopReason `json:"stopReason,omitempty"` // message_end, turn_end
	Usage      *Usage             `json:"usage,omitempty"`      // message_end, compaction_end
	Context    *Context           `json:"context,omitempty"`    // message_start of the assistant, turn_end

	ToolCallID string         `json:"toolCallId,omitempty"` // tool_*
	ToolName   string         `json:"toolName,omitempty"`   // tool_*
	Arguments  jsontext.Value `json:"arguments,omitempty"`  // tool_start
	IsError    bool           `json:"isError,omitzero"`     // tool_end

	Reason       compaction.Trigger `json:"reason,omitempty"`      // compaction_*
	Outcome      compaction.Status  `json:"outcome,omitempty"`     // compaction_end, branch_summary_end
	Why          compaction.Reason  `json:"why,omitempty"`         // compaction_end, unless applied
	WillRetry    bool               `json:"willRetry,omitzero"`    // compaction_end: the refused request is sent again
	TokensBefore int64              `json:"tokensBefore,omitzero"` // compaction_end
	TokensAfter  int64              `json:"tokensAfter,omitzero"`  // compaction_end, if applied
	Rung         string             `json:"rung,omitempty"`        // compaction_end, if applied
	Coverage     ledger.Coverage    `json:"coverage,omitempty"`    // compaction_end, if applied
	// Unheeded is guidance that the summary did not follow. compaction_end and
	// branch_summary_end.
	Unheeded   []summarize.Unheeded `json:"notHonoured,omitempty"`
	Edits      int                  `json:"edits,omitzero"`     // prune: how many
	Switches   []string             `json:"switches,omitempty"` // prune: the settings that switch such edits off
	Entries    int                  `json:"entries,omitzero"`   // foreign_append: how many
	Joined     bool                 `json:"joined,omitzero"`    // foreign_append: the conversation goes on after them; false: they are on a branch of their own
	Saved      int64                `json:"saved,omitzero"`     // prune: tokens
	Try        int                  `json:"try,omitzero"`       // retry_start, from 1
	Queue      []Input              `json:"queue,omitempty"`    // queue: the waiting input
	Model      string               `json:"model,omitempty"`    // model_change, warning: provider/id
	Warning    string               `json:"warning,omitempty"`  // warning: in words
	Error      string               `json:"error,omitempty"`    // error, compaction_end, retry_start
	Used       *Used                `json:"used,omitempty"`     // run_end
	Message    *message.Message     `json:"-"`                  // message_end
	Compaction *compaction.Outcome  `json:"-"`                  // compaction_end
}

// Usage is what a call used.
type Usage struct {
	Input      int64   `json:"input"` // tokens, like the next three
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cacheRead"`
	CacheWrite int64   `json:"cacheWrite"`
	USD        float64 `json:"usd,omitzero"`
}

func usageOf(u *message.Usage) *Usage {
	if u == nil {
		return nil
	}
	return &Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, USD: u.Cost.Total}
}

// Context is how full the window is, in tokens.
type Context struct {
	Used      int64 `json:"used"`
	Threshold int64 `json:"threshold"`
	Window    int64 `json:"window"`
}

func meterOf(m coppice.Meter) *Context {
	return &Context{Used: m.Decision(), Threshold: m.Threshold, Window: m.Model.Window}
}

// report reports what the engine does for this run.
func (r *run) report(e coppice.Event) {
	switch e.Type {
	case coppice.EventDelta:
		r.delta(e.Delta)
	case coppice.EventAnswer:
		r.endRetry()
		r.countAnswer(e.Message)
		r.emit(messageEnd(e.Entry.ID, e.Message))
	default:
		r.countReduction(e)
		r.emit(eventOf(e))
	}
}

// messageEnd reports that a message is in the log.
func messageEnd(id string, m *message.Message) Event {
	return Event{Type: EventMessageEnd, EntryID: id, Role: m.Role, Text: m.Text("\n"), StopReason: m.StopReason,
		Error: m.ErrorMessage, Usage: usageOf(m.Usage), Message: m}
}

// eventOf returns an event of the engine as an event of the agent.
func eventOf(e coppice.Event) Event {
	switch e.Type {
	case coppice.EventCompactionEnd:
		return compactionEnd(e.Trigger, e.Outcome)
	case coppice.EventBranchSummaryEnd:
		return branchSummaryEnd(e.Branch, e.Err)
	case coppice.EventPrune:
		return pruned(e.Edits)
	case coppice.EventModelChange:
		return Event{Type: coppice.EventModelChange, Model: e.Model.Key()}
	case coppice.EventWarning:
		return Event{Type: coppice.EventWarning, Model: e.Model.Key(), Warning: e.Warning}
	}
	return Event{Type: e.Type, Reason: e.Trigger}
}

// pruned is the event of edits. It names the first of the entries.
func pruned(edits []prune.Edit) Event {
	e := Event{Type: coppice.EventPrune, Edits: len(edits), Saved: prune.Saved(edits), Switches: prune.Switches(edits)}
	if len(edits) > 0 {
		e.EntryID = edits[0].Entry.ID
	}
	return e
}

// compactionEnd returns the event of an attempt's end.
func compactionEnd(trigger compaction.Trigger, o *compaction.Outcome) Event {
	e := Event{Type: coppice.EventCompactionEnd, Reason: trigger, Outcome: o.Status, Why: o.Reason, Usage: usageOf(o.Usage),
		Rung: o.Rung, Coverage: o.Coverage, Unheeded: o.Unheeded, Compaction: o}
	if o.Plan != nil {
		e.TokensBefore = o.Plan.Size.Decision()
	}
	switch o.Status {
	case compaction.Applied:
		e.EntryID, e.TokensAfter = o.Entry.ID, o.TokensAfter
		e.WillRetry = trigger == compaction.Overflow
	case compaction.Failed:
		e.Error = failureText(trigger) + string(o.Reason) + ": " + o.Detail
	}
	return e
}

func failureText(trigger compaction.Trigger) string {
	switch trigger {
	case compaction.Overflow:
		return rescueFailed
	case compaction.Manual:
		return manualFailed
	}
	return autoFailed
}

// branchSummaryEnd returns the event of a navigation's end.
func branchSummaryEnd(o *compaction.Navigated, err error) Event {
	e := Event{Type: coppice.EventBranchSummaryEnd}
	if err != nil {
		e.Outcome, e.Why, e.Error = compaction.Failed, compaction.IO, "Branch summary failed: "+err.Error()
		return e
	}
	e.Outcome, e.Why, e.Usage, e.Rung, e.Coverage, e.Unheeded = o.Status, o.Reason, usageOf(o.Usage), o.Rung, o.Coverage, o.Unheeded
	if o.Summary != nil {
		e.EntryID = o.Summary.ID
	}
	if o.Status == compaction.Failed {
		e.Error = "Branch summary failed: " + string(o.Reason) + ": " + o.Detail
	}
	return e
}
