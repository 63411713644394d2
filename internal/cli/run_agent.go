package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// runFlags are those of `coppice run`.
type runFlags struct {
	prompt, session, model string
	demo, yolo, json       bool
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	cmd := command(groupContext, "run -p TEXT", "Work on one prompt with tools, without a screen",
		`Give TEXT to the model and let it work until its final answer, however long that
takes: what no longer fits the window is compacted along the way.

Reading and searching inside the project need no permission. No one can be asked, so
writing, commands and paths outside are refused unless the settings
(permissions.*) or --yolo allow them. What the settings deny stays denied.

The tools of MCP servers (mcpServers in the settings) are there too.

--demo needs no key: a scripted model on this machine does a long job in a tiny
window, and you can watch the context being compacted.`,
		"  coppice run -p \"what does this project do?\"\n  coppice run --session - -p \"go on\" --json\n  coppice run --demo", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error { return a.runAgent(cmd.Context(), f) })
	cmd.Flags().StringVarP(&f.prompt, "prompt", "p", "", "the prompt")
	cmd.Flags().StringVar(&f.session, "session", "", "continue this session (default: a new one)")
	cmd.Flags().StringVar(&f.model, "model", "", "PROVIDER/ID (default: the session's, then setting model, then the first of providers with a key)")
	cmd.Flags().BoolVar(&f.demo, "demo", false, "a scripted model in a tiny window, without a key")
	cmd.Flags().BoolVar(&f.yolo, "yolo", false, "allow every tool that the settings do not deny")
	cmd.Flags().BoolVar(&f.json, "json", false, "print events as JSON lines")
	return cmd
}

func (a *app) runAgent(ctx context.Context, f runFlags) error {
	if f.prompt == "" && !f.demo {
		return usagef("there is no prompt; try coppice run -p TEXT")
	}
	a.Err = &locked{w: a.Err} // hooks and servers report while the agent works
	log, err := a.runLog(ctx, f)
	if err != nil {
		return err
	}
	o := a.options()
	o.Hooks = a.hooks()
	var cfg agent.Config
	if f.demo {
		demo := newDemo()
		defer demo.close()
		cfg = demo.config(&o)
		if f.prompt == "" {
			f.prompt = demoPrompt
		}
	} else {
		if cfg, err = a.agentConfig(ctx, log, &o, f); err != nil {
			return errors.Join(err, log.Close())
		}
		servers := a.startServers(ctx, f.json)
		defer servers.Close()
		cfg.Tools = append(cfg.Tools, servers.Tools()...)
	}
	if cfg.Session, err = a.sessionOf(log, func(all *coppice.Options) { *all = o }); err != nil {
		return err
	}
	defer cfg.Session.Close()
	ag, err := agent.New(cfg)
	if err != nil {
		return explain("run", err)
	}
	defer ag.Close()
	return a.watch(ctx, f.json, cfg.Session, ag, f.prompt)
}

// withPausedHint adds to an error about paused compaction what the user can do.
// It names a compaction only if a plan says that one would make room.
func withPausedHint(ctx context.Context, s *coppice.Session, err error) error {
	var f *failure
	if !errors.Is(err, coppice.ErrPaused) || !errors.As(err, &f) || f.Try != "" {
		return err
	}
	if p, planned := s.Plan(ctx, compaction.Request{}); planned == nil && p.Skip == "" && p.Misfit() == "" {
		f.Try = "coppice compact " + s.Ref()
	} else {
		f.Try = "a model with a larger context window, or less input: a compaction would not make room"
	}
	return err
}

// watch runs the prompt and prints what happens.
func (a *app) watch(ctx context.Context, asJSON bool, s *coppice.Session, ag *agent.Agent, prompt string) error {
	p := &runPrinter{app: a}
	defer func() {
		for _, ev := range ag.Finish() { // each start of a compaction has an end
			if asJSON {
				a.json(ev)
			}
		}
	}()
	for ev, err := range ag.Run(ctx, prompt) {
		switch {
		case asJSON:
			a.json(ev)
		case err == nil:
			p.print(ev)
		}
		if err == nil {
			continue
		}
		if errors.Is(err, agent.ErrAborted) || ctx.Err() != nil {
			err = context.Canceled
		}
		failed := withPausedHint(ctx, s, explain("run", err))
		if asJSON { // the event has reported it
			return codeOf(failed)
		}
		return failed
	}
	return nil
}

// codeOf returns the exit code of a failure, without printing it.
func codeOf(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f.Code
	}
	return codeFailed
}

// runLog returns the log of the session to work on: the one that was named,
// else a new one. A demo is not kept unless a session was named. Hooks may
// refuse the session.
func (a *app) runLog(ctx context.Context, f runFlags) (session.Log, error) {
	if f.session != "" {
		log, err := a.openLog(ctx, f.session, true)
		if err != nil {
			return nil, err
		}
		if err := a.askSwitch(ctx, hook.BeforeSwitch{Envelope: hook.EnvelopeOf(log.Header(), log.Ref()), Target: log.Ref()}); err != nil {
			return nil, errors.Join(err, log.Close())
		}
		return log, nil
	}
	st := memstore.New(a.Now)
	if !f.demo {
		if err := a.askSwitch(ctx, hook.BeforeSwitch{Envelope: hook.Envelope{Cwd: a.Dir}}); err != nil {
			return nil, err
		}
		var err error
		if st, err = a.store(); err != nil {
			return nil, err
		}
	}
	log, err := st.Create(ctx, session.Header{Cwd: a.Dir})
	return log, explain("new session", err)
}

// askSwitch lets hooks cancel a run in another session.
func (a *app) askSwitch(ctx context.Context, e hook.BeforeSwitch) error {
	r, err := a.hooks().BeforeSwitch(ctx, e)
	switch {
	case err != nil:
		return explain("run", err)
	case r.Cancel:
		return &failure{Code: codeFailed, What: "run", Why: visible(r.Why)}
	}
	return nil
}

// systemPrompt is ours; the project's instructions follow it.
const systemPrompt = `You are a careful software engineer who works in the user's project with tools.
Look before you change something. Keep to what was asked. Say briefly what you did.
Earlier parts of a long conversation may be replaced by a summary; the recall tool finds and reads the originals.`

// agentConfig returns an agent with a coding agent's tools on a real model.
// The model also goes into the options of its session.
func (a *app) agentConfig(ctx context.Context, log session.Log, o *coppice.Options, f runFlags) (agent.Config, error) {
	named, err := timeline.ModelInUse(ctx, log, nil)
	if err != nil {
		return agent.Config{}, explain("read "+log.Ref(), err)
	}
	r := a.registry()
	r.Retry.Notify = nil // the events report it
	name, err := a.runModel(r, f.model, named)
	if err != nil {
		return agent.Config{}, err
	}
	bound, err := r.Bind(name)
	if err != nil {
		return agent.Config{}, explain("model "+name, err)
	}
	a.warn("the conversation goes to %s (%s)", bound.Host, name)
	if provider, _, _ := strings.Cut(name, "/"); f.model != "" || r.Names(provider) {
		a.askWindows(ctx, bound)
	}
	if facts := bound.Facts(); facts.WindowSource == provider.WindowDefault {
		a.warn("the window of %s is not known; assuming %s", name, window(facts))
	}
	o.Model = bound
	cfg := agent.Config{System: systemPrompt + instructions(a.Dir), Settings: a.settings().agent, Limits: a.settings().run}
	rules := a.settings().permissions
	rules.HiddenEnv = slices.Concat(rules.HiddenEnv, r.Keys()) // commands do not need what answers cost
	cfg.Tools = tools.All(tools.Options{Dir: a.Dir, Log: log, Rules: rules})
	// No one can be asked.
	cfg.Permit = (&tools.Guard{Dir: a.Dir, Yolo: f.yolo, Rules: rules}).Permit
	return cfg, a.runSummarizer(o)
}

// runSummarizer sets the summarizer if the settings name an endpoint or a
// model for it, followed by the session's model. Otherwise only the session's
// model is asked.
func (a *app) runSummarizer(o *coppice.Options) error {
	o.Summarizer = nil
	if c := a.settings().summaries; c.RemoteEndpoint == "" && c.Model == "" {
		return nil
	}
	l := &ladder{}
	if err := a.build(l, "auto", ""); err != nil {
		return err
	}
	l.Models = append(l.Models, o.Model)
	o.Summarizer = l
	return nil
}

// runModel returns the model to work with.
func (a *app) runModel(r *provider.Registry, flag string, named *session.ModelChange) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if named != nil {
		return named.Provider + "/" + named.ModelID, nil
	}
	if name := a.settings().models.Model; name != "" {
		return name, nil
	}
	switch name, ok := r.Default(); {
	case ok:
		return name, nil
	case name != "":
		maker, _, _ := strings.Cut(name, "/")
		return "", &failure{Code: codeFailed, What: "run", Why: "no model is chosen; there is a key for " + maker + ", but nothing is sent before you choose",
			Try: "--model " + name + ", or coppice settings set model " + name}
	}
	return "", &failure{Code: codeFailed, What: "run", Why: "there is no key for any model", Try: "set a vendor's key variable, run coppice settings set model PROVIDER/ID, or use --demo"}
}
