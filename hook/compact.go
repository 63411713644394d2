package hook

import (
	"context"
	"sync"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// BeforeCompact is the event before a compaction. As session.compacting it comes
// after that, if no hook has supplied the summary: Coppice is about to make one.
type BeforeCompact struct {
	Envelope
	compaction.BeforeCompact
}

// OnBeforeCompact adds a handler that may cancel a compaction or supply its
// summary.
func (b *Bus) OnBeforeCompact(h Handler, f func(context.Context, BeforeCompact) (compaction.Answer, error)) {
	b.on(eventBeforeCompact, h, f)
}

// OnCompacting adds a handler that may guide the summary that is about to be
// written.
func (b *Bus) OnCompacting(h Handler, f func(context.Context, BeforeCompact) (compaction.Guidance, error)) {
	b.on(eventCompacting, h, f)
}

// CompactionHooks are the hooks of the compactions and navigations of one
// session; none without a session.
func (b *Bus) CompactionHooks(s *session.Session) compaction.Hooks {
	if b == nil || s == nil {
		return compaction.Hooks{}
	}
	env := EnvelopeOf(s.Log().Header(), s.Ref())
	var mu sync.Mutex
	var author hook // of the summary that is used
	return compaction.Hooks{
		BeforeCompact: func(ctx context.Context, e compaction.BeforeCompact) (compaction.Answer, error) {
			q := b.beforeCompact(s)
			q.rescue = rescues(e.Trigger)
			q.answered = func(h hook, a compaction.Answer) {
				mu.Lock()
				defer mu.Unlock()
				if a.Summary != "" {
					author = h
				}
			}
			return ask(ctx, b, q, BeforeCompact{env, e})
		},
		Compacting: func(ctx context.Context, e compaction.BeforeCompact) (compaction.Guidance, error) {
			q := compacting
			q.rescue = rescues(e.Trigger)
			return ask(ctx, b, q, BeforeCompact{env, e})
		},
		BeforeTree: func(ctx context.Context, e compaction.BeforeTree) (compaction.TreeAnswer, error) {
			return ask(ctx, b, beforeTree, BeforeTree{env, e})
		},
		Rejected: func(why error) {
			mu.Lock()
			defer mu.Unlock()
			b.failed(author, why)
		},
	}
}

// rescues reports whether the next request cannot be sent without the
// compaction. Hooks cannot cancel such a compaction.
func rescues(t compaction.Trigger) bool {
	return t == compaction.Overflow || t == compaction.ModelSwitch
}

// beforeCompact asks about a compaction in a session. The whole path is read
// only for programs: handlers that want it have the session.
func (b *Bus) beforeCompact(s *session.Session) question[BeforeCompact, compaction.Answer] {
	return question[BeforeCompact, compaction.Answer]{
		event: eventBeforeCompact,
		encode: func(ctx context.Context, e BeforeCompact) ([]byte, error) {
			history, prefix, err := e.Plan.Conversation(b.opts.Mask)
			if err != nil {
				return nil, err
			}
			prep, err := preparation(e)
			if err != nil {
				return nil, err
			}
			path, err := s.Path(ctx, e.Plan.View.Leaf)
			if err != nil {
				return nil, err
			}
			branch, err := entries(path)
			if err != nil {
				return nil, err
			}
			o := e.begin(eventBeforeCompact).Raw("preparation", prep).Raw("branchEntries", branch)
			o.OptStr("customInstructions", e.Focus).Str("reason", string(e.Trigger)).Bool("willRetry", e.Trigger == compaction.Overflow)
			return o.Str("conversationText", history).Str("turnPrefixText", prefix).Bytes(), nil
		},
		decode: decodeCompaction,
		ruling: func(a *compaction.Answer) Ruling { return Ruling{a.Cancel, a.Why} },
		rule:   func(r Ruling) compaction.Answer { return compaction.Answer{Cancel: r.Cancel, Why: r.Why} },
		check: func(e BeforeCompact, a compaction.Answer) error {
			if a.Summary == "" {
				return nil
			}
			return e.Plan.Check(a)
		},
		merge: func(_ *BeforeCompact, merged *compaction.Answer, a compaction.Answer) {
			if a.Summary != "" {
				*merged = a
			}
		},
	}
}

func preparation(e BeforeCompact) ([]byte, error) {
	history, prefix, err := e.Plan.Messages()
	if err != nil {
		return nil, err
	}
	read, modified, err := e.Files()
	if err != nil {
		return nil, err
	}
	o := new(jsonw.Object).Raw("messagesToSummarize", messages(history)).Raw("turnPrefixMessages", messages(prefix))
	o.Bool("isSplitTurn", e.Plan.Split)
	if p := e.Plan.Previous; p != nil {
		o.Str("previousSummary", p.Compaction().Summary)
	}
	o.Raw("fileOps", new(jsonw.Object).Raw("readFiles", texts(read)).Raw("modifiedFiles", texts(modified)).Bytes())
	firstKept := ""
	if e.Plan.FirstKept != nil {
		firstKept = e.Plan.FirstKept.ID
	}
	o.Int("tokensBefore", e.Plan.Size.Decision()).Str("firstKeptEntryId", firstKept)
	s := e.Settings
	s.EnsureDefaults()
	settings := new(jsonw.Object).Bool("enabled", *s.Enabled).Int("reserveTokens", *s.ReserveTokens).Int("keepRecentTokens", *s.KeepRecentTokens)
	return o.Raw("settings", settings.Bytes()).Bytes(), nil
}

// decodeCompaction reads a hook's compaction.
func decodeCompaction(in *answer) compaction.Answer {
	c := in.sub("compaction")
	if c == nil {
		return compaction.Answer{}
	}
	a := compaction.Answer{Summary: c.str("summary"), ShortSummary: c.str("shortSummary"), FirstKeptEntryID: c.str("firstKeptEntryId"),
		Details: c.any("details"), TokensBefore: c.count("tokensBefore"), PreserveData: c.object("preserveData")}
	if a.Summary == "" {
		c.fail(errNoSummary)
	}
	return a
}

var compacting = question[BeforeCompact, compaction.Guidance]{
	event: eventCompacting,
	encode: func(_ context.Context, e BeforeCompact) ([]byte, error) {
		history, prefix, err := e.Plan.Messages()
		return e.begin(eventCompacting).Raw("messages", messages(append(history, prefix...))).Bytes(), err
	},
	decode: func(in *answer) compaction.Guidance {
		return compaction.Guidance{Prompt: in.str("prompt"), Context: in.lines("context"), PreserveData: in.object("preserveData")}
	},
	ruling: func(a *compaction.Guidance) Ruling { return Ruling{a.Cancel, a.Why} },
	rule:   func(r Ruling) compaction.Guidance { return compaction.Guidance{Cancel: r.Cancel, Why: r.Why} },
	merge: func(_ *BeforeCompact, merged *compaction.Guidance, a compaction.Guidance) {
		merged.Context = append(merged.Context, a.Context...)
		if a.Prompt != "" {
			merged.Prompt = a.Prompt
		}
		if a.PreserveData != nil {
			merged.PreserveData = a.PreserveData
		}
	},
}

func messages(msgs []*message.Message) []byte {
	var a jsonw.Array
	for _, m := range msgs {
		a.Add(encodeMessage(m))
	}
	return a.Bytes()
}

// entries are written as they are in the log.
func entries(list []*session.Entry) ([]byte, error) {
	var a jsonw.Array
	for _, e := range list {
		raw, err := e.Raw()
		if err != nil {
			return nil, err
		}
		a.Add(jsonw.Clean(raw))
	}
	return a.Bytes(), nil
}

func texts(list []string) []byte {
	var a jsonw.Array
	for _, s := range list {
		a.Add(rawjson.Quote(s))
	}
	return a.Bytes()
}
