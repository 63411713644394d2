package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// compactFlags are the flags of compact.
type compactFlags struct {
	plan, edit, index, json bool
	focus                   string
	summarizer              string
	model                   string
	keep                    int64
	reserve                 int64
	window                  int64
	to                      string
	out                     string

	keepGiven bool
}

func (a *app) compactCmd() *cobra.Command {
	var f compactFlags
	cmd := command(groupContext, "compact SESSION", "Replace old conversation with a verified summary",
		`Replace the old part of what the model sees with a summary that is checked
against the facts in that part. The recent part, pins and the open request stay word
for word. Nothing is removed from the file; coppice uncompact undoes it.

Without a model or endpoint in the settings or flags the summary is made by
extraction, on this machine. A key in the environment alone sends nothing out.`,
		`  coppice compact - --plan
  coppice compact work.jsonl --summarizer extract -o smaller.jsonl
  coppice compact - --focus "keep the SQL schema" --model anthropic/claude-haiku-4-5`,
		cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
			f.keepGiven = cmd.Flags().Changed("keep-recent")
			return a.compact(cmd.Context(), args[0], f)
		})
	fl := cmd.Flags()
	fl.BoolVar(&f.plan, "plan", false, "show what would happen, write nothing")
	fl.BoolVar(&f.edit, "edit", false, "open the summary in $EDITOR before it is committed")
	fl.StringVar(&f.focus, "focus", "", "what the summary must keep above all")
	fl.StringVar(&f.summarizer, "summarizer", "auto", "auto, model, remote or extract")
	fl.StringVar(&f.model, "model", "", "provider/id of the model that summarizes")
	fl.Int64Var(&f.keep, "keep-recent", 0, "recent tokens to keep word for word (default: from the settings)")
	fl.Int64Var(&f.reserve, "reserve", 0, "tokens of the window to keep free (default: from the settings)")
	fl.Int64Var(&f.window, "window", 0, "context window of the session's model in tokens (default: what coppice knows)")
	fl.StringVar(&f.to, "to", "", "id of the last entry to be summarized")
	fl.BoolVar(&f.index, "index", false, "say where on the whole path the cut is, which reads the file back to its start")
	fl.StringVarP(&f.out, "output", "o", "", "write a compacted copy to this file and leave SESSION alone")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("summarizer", cobra.FixedCompletions([]string{"auto", "model", "remote", "extract"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagsMutuallyExclusive("keep-recent", "to")
	cmd.MarkFlagsMutuallyExclusive("plan", "edit")
	return cmd
}

// check refuses flags that do not make sense.
func (f compactFlags) check() error {
	switch {
	case f.keepGiven && f.keep < 0:
		return usagef("--keep-recent %d: not a number of tokens", f.keep)
	case f.reserve < 0:
		return usagef("--reserve %d: not a number of tokens", f.reserve)
	case f.window < 0:
		return usagef("--window %d: not a number of tokens", f.window)
	}
	switch f.summarizer {
	case "auto", "model", "remote", "extract":
		return nil
	}
	return usagef("--summarizer %s: not one of auto, model, remote, extract", f.summarizer)
}

func (a *app) compact(ctx context.Context, ref string, f compactFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.out != "" {
		f.out = a.abs(f.out)
		if _, err := os.Lstat(f.out); err == nil {
			return &failure{Code: codeFailed, What: "write " + f.out, Why: "the file already exists", Try: "another name", File: f.out}
		}
	}
	log, err := a.openLog(ctx, ref, f.out == "" && !f.plan)
	if err != nil {
		return err
	}
	defer log.Close()
	ladder := &ladder{}
	if err := a.build(ladder, f.summarizer, f.model); err != nil {
		return err
	}
	s, err := a.sessionOf(log, f.apply, a.asking, ladder.writes)
	if err != nil {
		return err
	}
	if f.window == 0 {
		if err := a.askForSession(ctx, s); err != nil {
			return err
		}
	}
	req := compaction.Request{Focus: f.focus, To: f.to, DryRun: f.out != ""}
	if f.to != "" {
		e, err := entryOf(ctx, s, f.to)
		if err != nil {
			return err
		}
		req.To = e.ID
	}
	if f.keepGiven {
		req.Keep = &f.keep
	}
	if f.plan {
		return a.showPlan(ctx, s, ladder, req, f)
	}
	if f.edit {
		req.Edit = a.editSummary
	}
	return a.runCompact(ctx, s, ladder, req, f)
}

// apply replaces the known numbers with the ones given for this run.
func (f compactFlags) apply(o *coppice.Options) {
	if f.window > 0 {
		o.Facts.Window, o.Facts.WindowSource = f.window, provider.WindowSetting
	}
	if f.reserve > 0 {
		o.Compaction.ReserveTokens = &f.reserve
		o.Compaction.ModelOverrides = maps.Clone(o.Compaction.ModelOverrides)
		for model, override := range o.Compaction.ModelOverrides {
			override.ReserveTokens = nil // the one given for this run wins
			o.Compaction.ModelOverrides[model] = override
		}
	}
}

// runCompact makes the attempt and reports it.
func (a *app) runCompact(ctx context.Context, s *coppice.Session, l *ladder, req compaction.Request, f compactFlags) error {
	start := a.Now()
	stop := a.progress(l)
	out, err := s.Compact(ctx, req)
	stop()
	if err == nil && out.Plan == nil { // interrupted before there was anything to report
		err = out.Err
	}
	if err != nil {
		return explainTo(explain("compact "+s.Ref(), err), s, req)
	}
	a.warnAttempts(out)
	a.warnUnheeded(out.Unheeded)
	file := s.Ref()
	if f.out != "" && out.Status == compaction.Applied {
		if file, err = a.writeCopy(ctx, s, append(out.Edits, out.Entry), f.out); err != nil {
			return explain("write "+f.out, err)
		}
	}
	elapsed := a.Now().Sub(start)
	if out.Status == compaction.Applied {
		ctx = context.WithoutCancel(ctx) // it is in the log, and the report must say all of it
	}
	if f.json {
		a.json(compactOf(ctx, s, out, file, elapsed, l, f.index))
	} else if err := a.printCompact(ctx, s, out, file, elapsed); err != nil {
		return explain("read "+file, err)
	}
	return exitOf(out.Status, out.Reason)
}

// explainTo adds to the error about an entry that cannot be the last one to
// summarize which entries --to takes.
func explainTo(err error, s *coppice.Session, req compaction.Request) error {
	var f *failure
	if req.To != "" && errors.Is(err, session.ErrNotFound) && errors.As(err, &f) {
		f.Try = "--to with an entry that the model sees now; coppice context " + s.Ref() + " lists them"
	}
	return err
}

// warnAttempts names the rungs that failed before another one gave a summary.
func (a *app) warnAttempts(out *compaction.Outcome) {
	if out.Status != compaction.Applied {
		return // the outcome reports it
	}
	for _, at := range out.Attempts {
		if at.Err != "" {
			a.warn("%s", visible(fmt.Sprintf("%s, %s: %s", strings.TrimSpace(at.Rung+" "+at.Model), at.Phase, at.Err)))
		}
	}
}

// warnUnheeded names guidance that a summary did not follow.
func (a *app) warnUnheeded(list []summarize.Unheeded) {
	for _, u := range list {
		a.warn("%s", unheeded(u))
	}
}

func unheeded(u summarize.Unheeded) string {
	return visible(fmt.Sprintf("the summary does not follow the %s in full: %s", u.What, u.Why))
}

// exitOf is the exit code of an outcome.
func exitOf(status compaction.Status, reason compaction.Reason) error {
	switch {
	case status == compaction.Applied:
		return nil
	case status == compaction.Skipped:
		return codeNothing
	case reason == compaction.Interrupted:
		return codeInterrupted
	}
	return codeFailed
}

func (a *app) elapsed(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

var errNoEditor = errors.New("no editor is set: set EDITOR or VISUAL")
