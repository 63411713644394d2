package cli

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/coppice-dev/coppice/wire/dialects"
)

func (a *app) contextCmd() *cobra.Command {
	var leaf, as string
	var asJSON bool
	cmd := command(groupContext, "context SESSION", "Show what the model sees, with sizes",
		"Show the messages that the next request would have, in order, each with its size,\nwhat is left out and why, and how far away the threshold is.",
		"  coppice context -\n  coppice context work.jsonl --as anthropic --json", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.context(cmd.Context(), args[0], leaf, as, asJSON)
		})
	cmd.Flags().StringVar(&leaf, "leaf", "", "show the view at this entry instead of at the leaf")
	cmd.Flags().StringVar(&as, "as", "native", "native, anthropic, openai-chat, openai-responses, gemini, or PROVIDER/MODEL")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(dialectNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func dialectNames() []string {
	names := []string{"native"}
	for _, d := range dialects.All() {
		names = append(names, d.Name())
	}
	return names
}

func (a *app) context(ctx context.Context, ref, leafID, as string, asJSON bool) error {
	named, err := a.renderedFor(as)
	if err != nil {
		return err
	}
	if named.ID != "" {
		as = named.API
	}
	dialect, known := dialects.ByName(as)
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	var leaf *session.Entry
	if leafID != "" {
		if leaf, err = entryOf(ctx, s, leafID); err != nil {
			return err
		}
	}
	w := a.work("reading " + s.Ref())
	defer w.stop()
	if err := a.askForSession(ctx, s); err != nil {
		return err
	}
	s.CountTokens()
	v, err := s.ViewAt(ctx, leaf)
	if err == nil {
		err = s.Settle(ctx, v)
	}
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	if known {
		facts, err := s.Facts(ctx)
		if err != nil {
			return explain("read "+s.Ref(), err)
		}
		m, standIn := named, false
		if m.ID == "" {
			m, standIn = a.speaker(as, facts)
		}
		if standIn {
			a.warn("neither the session nor the settings name a model that speaks %s; this is for %s", as, m.Key())
		}
		body, err := promptly(ctx, func() ([]byte, error) {
			req, err := v.Request(false)
			if err != nil {
				return nil, err
			}
			return dialect.Render(req, m, message.CallOptions{Thinking: v.Thinking(), ContentOnly: true})
		})
		if err != nil {
			return explain("render as "+as, err)
		}
		w.stop()
		a.Out.Write(append(body, '\n'))
		return nil
	}
	problems, err := s.Log().Problems(ctx, false)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	out, err := promptly(ctx, func() (contextJSON, error) { return contextOf(ctx, s, v, problems) })
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	w.stop()
	if asJSON {
		a.json(out)
		return nil
	}
	n, err := nowAt(ctx, s, v.Leaf)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	return explain("read "+s.Ref(), a.printContext(out, v, n))
}

// renderedFor checks what --as names: a dialect, or a model, which it returns.
func (a *app) renderedFor(as string) (message.Model, error) {
	if _, known := dialects.ByName(as); known || as == "native" {
		return message.Model{}, nil
	}
	maker, id, ok := strings.Cut(as, "/")
	if !ok || maker == "" || id == "" {
		return message.Model{}, usagef("--as %s: not a dialect; one of %s, or PROVIDER/MODEL", as, strings.Join(dialectNames(), ", "))
	}
	return a.catalog().Lookup(maker, id), nil
}

// contextJSON is the shape of `context --json` (docs/cli.md).
type contextJSON struct {
	Session       string        `json:"session"`
	File          string        `json:"file"`
	LeafID        *string       `json:"leafId"`
	Model         *modelName    `json:"model"`
	ThinkingLevel string        `json:"thinkingLevel"`
	CompactionID  *string       `json:"compactionId"`
	Messages      []messageJSON `json:"messages"`
	LeftOut       []leftOutJSON `json:"leftOut"`
	Tokens        tokensJSON    `json:"tokens"`
	Problems      []problemJSON `json:"problems"`
}

type modelName struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

type messageJSON struct {
	EntryID   string `json:"entryId,omitempty"`
	Role      string `json:"role"`
	Tokens    int64  `json:"tokens"`
	Bytes     int64  `json:"bytes"`
	Pinned    bool   `json:"pinned,omitzero"`
	Request   bool   `json:"request,omitzero"`
	Open      bool   `json:"open,omitzero"`
	Edited    bool   `json:"edited,omitzero"`
	Synthetic string `json:"synthetic,omitempty"`
	Text      string `json:"text"`
}

type leftOutJSON struct {
	EntryID string `json:"entryId"`
	Rule    string `json:"rule"`
}

type tokensJSON struct {
	Measured     *int64 `json:"measured"`
	Estimated    int64  `json:"estimated"`
	Decision     int64  `json:"decision"`
	Fixed        int64  `json:"fixed"`
	Window       int64  `json:"window"`
	WindowSource string `json:"windowSource"`
	Threshold    int64  `json:"threshold"`

	Calibration calibrationJSON `json:"calibration"`
}

// calibrationJSON says how estimates were corrected by what was measured:
// factors by kind of content, and a margin for limits that must hold.
type calibrationJSON struct {
	Samples int     `json:"samples"` // stretches of the conversation that it is derived from
	Text    float64 `json:"text"`
	Scripts float64 `json:"scripts"` // what is not ASCII
	Media   float64 `json:"media"`
	Margin  float64 `json:"margin"`
}

type problemJSON struct {
	Kind    string `json:"kind"`
	Line    int    `json:"line,omitzero"`
	EntryID string `json:"entryId,omitempty"`
	Dialect string `json:"dialect,omitempty"`
	Model   string `json:"model,omitempty"` // that the request was made for
	Detail  string `json:"detail"`
}

func contextOf(ctx context.Context, s *coppice.Session, v *timeline.View, logged []session.Problem) (contextJSON, error) {
	size, err := s.Measure(ctx, v)
	if err != nil {
		return contextJSON{}, err
	}
	sizer, err := v.Sizer(tokens.Default{})
	if err != nil {
		return contextJSON{}, err
	}
	out := contextJSON{Session: s.ID(), File: s.Ref(), ThinkingLevel: v.ThinkingLevel,
		Messages: []messageJSON{}, LeftOut: []leftOutJSON{}, Problems: []problemJSON{},
		Tokens: tokensOf(size)}
	if v.Leaf != nil {
		out.LeafID = &v.Leaf.ID
	}
	if v.Compaction != nil {
		out.CompactionID = &v.Compaction.ID
	}
	if v.Model != nil {
		out.Model = &modelName{Provider: v.Model.Provider, ID: v.Model.ModelID}
	}
	for _, it := range v.Items {
		shown, err := it.Message()
		if err != nil {
			return out, err
		}
		size, err := it.Bytes()
		if err != nil {
			return out, err
		}
		m := messageJSON{Role: string(shown.Role), Tokens: sizer.Of(it), Bytes: size,
			Pinned: it.Pinned, Request: it.Request, Open: it.Open, Edited: it.Edited, Synthetic: string(it.Kind), Text: nativeText(shown)}
		if it.Entry != nil {
			m.EntryID = it.Entry.ID
		}
		out.Messages = append(out.Messages, m)
	}
	for _, l := range v.LeftOut {
		out.LeftOut = append(out.LeftOut, leftOutJSON{EntryID: l.EntryID, Rule: string(l.Rule)})
	}
	for _, p := range append(append(logged, v.Problems...), size.Problems...) {
		out.Problems = append(out.Problems, problemOf(p))
	}
	return out, nil
}

func tokensOf(m coppice.Meter) tokensJSON {
	c, round := m.Calibration, func(f float64) float64 { return math.Round(f*1000) / 1000 }
	return tokensJSON{Measured: m.Measured, Estimated: m.Estimated, Decision: m.Decision(), Fixed: m.Fixed,
		Window: m.Model.Window, WindowSource: m.Model.WindowSource, Threshold: m.Threshold,
		Calibration: calibrationJSON{Samples: c.Samples, Text: round(c.Text), Scripts: round(c.Scripts), Media: round(c.Media), Margin: round(c.Margin)}}
}

func problemOf(p session.Problem) problemJSON {
	return problemJSON{Kind: p.Kind, Line: p.Line, EntryID: p.EntryID, Detail: p.Detail}
}

// nativeText is a message as text: text blocks joined by LF, then each call
// as name(JSON); media as a stub; no thinking (docs/cli.md, context).
func nativeText(m *message.Message) string {
	llm := timeline.ToLLM(m)
	if llm == nil {
		llm = m
	}
	var parts []string
	for _, b := range llm.Content {
		switch b := b.(type) {
		case message.Text:
			parts = append(parts, b.Text)
		case message.Image:
			parts = append(parts, "[image "+b.MIMEType+"]")
		case message.Opaque:
			parts = append(parts, "["+b.Type+"]")
		}
	}
	for _, c := range llm.ToolCalls() {
		parts = append(parts, c.Name+"("+string(c.Arguments)+")")
	}
	return strings.Join(parts, "\n")
}
