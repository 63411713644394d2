package cli

import (
	"context"
	"errors"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/spf13/cobra"
)

// runFlags are those of `coppice run`.
type runFlags struct {
	prompt, session, model string
	demo, yolo, json       bool
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	cmd := command(groupContext, "run -p TEXT", "Work on one prompt with tools, without a screen",
		`Say TEXT to the model and let it work until its final answer, however long that
takes: what no longer fits the window is compacted on the way.

Reading and searching inside the project run freely. There is no one to ask here, so
writing, commands and paths outside are refused unless the settings
(permissions.*) or --yolo allow them. What the settings deny stays denied.

The tools of MCP servers (mcpServers in the settings) are there too.

--demo needs no key: a scripted model on this machine does a long job in a tiny
window, and you can watch the context being compacted.`,
		"  coppice run -p \"what does this project do?\"\n  coppice run --session - -p \"go on\" --json\n  coppice run --demo", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error { return a.runAgent(cmd.Context(), f) })
	cmd.Flags().StringVarP(&f.prompt, "prompt", "p", "", "what to say")
	cmd.Flags().StringVar(&f.session, "session", "", "go on with this session (default: a new one)")
	cmd.Flags().StringVar(&f.model, "model", "", "PROVIDER/ID (default: the session's, then setting model, then the first with a key)")
	cmd.Flags().BoolVar(&f.demo, "demo", false, "a scripted model in a tiny window, without a key")
	cmd.Flags().BoolVar(&f.yolo, "yolo", false, "let every tool run that the settings do not deny")
	cmd.Flags().BoolVar(&f.json, "json", false, "print events as JSON lines")
	return cmd
}

func (a *app) runAgent(ctx context.Context, f runFlags) error {
	if f.prompt == "" && !f.demo {
		return usagef("nothing to say; try coppice run -p TEXT")
	}
	a.Err = &locked{w: a.Err} // hooks and servers are reported while the agent works
	s, err := a.runSession(ctx, f)
	if err != nil {
		return err
	}
	defer s.Close()
	var cfg agent.Config
	if f.demo {
		demo := newDemo()
		defer demo.close()
		cfg = demo.config()
		if f.prompt == "" {
			f.prompt = demoPrompt
		}
	} else {
		if cfg, err = a.agentConfig(ctx, s, f); err != nil {
			return err
		}
		servers := a.startServers(ctx, f.json)
		defer servers.Close()
		cfg.Tools = append(cfg.Tools, servers.Tools()...)
	}
	cfg.Session, cfg.Mask, cfg.Now, cfg.Hooks = s, a.masker(), a.Now, a.hooks()
	ag, err := agent.New(cfg)
	if err != nil {
		return explain("run", err)
	}
	defer ag.Close()
	return a.watch(ctx, f.json, ag, f.prompt)
}

// watch runs the prompt and prints what happens.
func (a *app) watch(ctx context.Context, asJSON bool, ag *agent.Agent, prompt string) error {
	p := &runPrinter{app: a}
	defer func() {
		for _, ev := range ag.Finish() { // each start of a compaction has its end
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
		failed := explain("run", err)
		if asJSON { // the event has said it
			return codeOf(failed)
		}
		return failed
	}
	return nil
}

// codeOf is the exit code of a failure alone.
func codeOf(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f.Code
	}
	return codeFailed
}

// runSession is the session to work on: the one that was named, else a new
// one; a demo is not kept unless a session was named. Hooks may keep the work
// from going on there.
func (a *app) runSession(ctx context.Context, f runFlags) (*session.Session, error) {
	if f.demo && f.session == "" {
		return inMemory(ctx, a.Now)
	}
	if f.session != "" {
		s, err := a.open(ctx, f.session, true)
		if err != nil {
			return nil, err
		}
		if err := a.askSwitch(ctx, hook.BeforeSwitch{Envelope: hook.In(s), Target: s.Ref()}); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
	if err := a.askSwitch(ctx, hook.BeforeSwitch{Envelope: hook.Envelope{Cwd: a.Dir}}); err != nil {
		return nil, err
	}
	st, err := a.store()
	if err != nil {
		return nil, err
	}
	log, err := st.Create(ctx, session.Header{Cwd: a.Dir})
	if err != nil {
		return nil, explain("new session", err)
	}
	return a.sessionOf(log), nil
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

// systemPrompt is ours; project instructions come behind it.
const systemPrompt = `You are a careful software engineer who works in the user's project with tools.
Look before you change something. Keep to what was asked. Say briefly what you did.
Earlier parts of a long conversation may be replaced by a summary; the recall tool finds and reads the originals.`

// askWindowTime is how long the first prompt may wait for a server to say how
// large its window is.
const askWindowTime = 2 * time.Second

// agentConfig is an agent on a real model with the tools of a coding agent.
func (a *app) agentConfig(ctx context.Context, s *session.Session, f runFlags) (agent.Config, error) {
	t, err := a.targetOf(ctx, s, nil)
	if err != nil {
		return agent.Config{}, explain("read "+s.Ref(), err)
	}
	r := a.registry()
	r.Retry.Notify = nil // the events tell
	name, err := a.runModel(r, f.model, t)
	if err != nil {
		return agent.Config{}, err
	}
	bound, err := r.Bind(name)
	if err != nil {
		return agent.Config{}, explain("model "+name, err)
	}
	asking, stop := context.WithTimeout(ctx, askWindowTime)
	bound.AskWindow(asking)
	stop()
	facts := bound.Facts()
	if facts.WindowSource == provider.WindowDefault {
		a.warn("the window of %s is not known; %s is assumed", name, window(facts))
	}
	c := a.settings()
	cfg := agent.Config{Model: bound, System: systemPrompt + instructions(a.Dir), Settings: c.agent, Compaction: c.compaction.For(facts.Key()),
		Branches: c.branches, Prune: c.prune, SharedPrefix: c.summaries.Request == summarize.SharedPrefix,
		Tools: tools.All(tools.Options{Dir: a.Dir, Log: s.Log()})}
	// Nobody can be asked.
	cfg.Permit = (&tools.Guard{Dir: a.Dir, Yolo: f.yolo, Rules: c.permissions}).Permit
	return cfg, a.runSummarizer(&cfg)
}

// runSummarizer sets the summarizer where the settings name an endpoint or a
// model of its own; else the agent asks the session's.
func (a *app) runSummarizer(cfg *agent.Config) error {
	if c := a.settings().summaries; c.RemoteEndpoint == "" && c.Model == "" {
		return nil
	}
	l, err := a.ladder("auto", "", target{})
	if err != nil {
		return err
	}
	l.Models = append(l.Models, cfg.Model)
	cfg.Summarizer = l.Ladder
	return nil
}

// runModel names the model to work with.
func (a *app) runModel(r *provider.Registry, flag string, t target) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if t.model.ID != "" {
		return t.model.Key(), nil
	}
	if name := a.settings().models.Model; name != "" {
		return name, nil
	}
	if name, ok := r.Default(); ok {
		return name, nil
	}
	return "", &failure{Code: codeFailed, What: "run", Why: "no model has a key", Try: "set a vendor's key variable, coppice settings set model PROVIDER/ID, or --demo"}
}
