package cli

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/tokens"
)

// ladder is the summarizer of a run, with its cost and where text goes.
type ladder struct {
	*summarize.Ladder
	price *message.Model // the first model; nil: no model is asked
	show  func(summarize.Progress)
	mu    sync.Mutex
}

// RemoteTokenVariable holds the bearer token of the remote endpoint.
const remoteTokenVariable = "COPPICE_REMOTE_TOKEN"

// build gives l the rungs that --summarizer names. auto asks a model or an
// endpoint only if flags or settings name one: a key in the environment is not
// enough (docs/design.md).
func (a *app) build(l *ladder, kind, model string) error {
	l.Ladder = &summarize.Ladder{Mask: a.masker(), Extract: kind == "auto" || kind == "extract"}
	l.Progress = func(p summarize.Progress) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.show != nil {
			l.show(p)
		}
	}
	s := a.settings()
	if kind == "remote" || kind == "auto" {
		if err := a.addRemote(l, s.summaries.RemoteEndpoint, kind); err != nil {
			return err
		}
	}
	if model == "" {
		model = s.summaries.Model
	}
	if model == "" && kind == "model" {
		model = s.models.Model
	}
	if kind == "model" || kind == "auto" {
		if err := a.addModel(l, model, kind); err != nil {
			return err
		}
	}
	return nil
}

// writes makes l write the summaries of a session.
func (l *ladder) writes(o *coppice.Options) { o.Summarizer = l }

// ready builds l from the settings and shows its progress until stop is
// called.
func (a *app) ready(l *ladder) (stop func(), err error) {
	if err := a.build(l, "auto", ""); err != nil {
		return nil, err
	}
	return a.progress(l), nil
}

func (a *app) addRemote(l *ladder, endpoint, kind string) error {
	if endpoint == "" {
		if kind == "remote" {
			return usagef("--summarizer remote: no endpoint is set; try coppice settings set compaction.remoteEndpoint URL")
		}
		return nil
	}
	l.Remote = &summarize.Remote{URL: endpoint, Token: a.Getenv(remoteTokenVariable)}
	if err := l.Remote.Validate(); err != nil {
		return explain("compaction.remoteEndpoint", err)
	}
	if u, err := url.Parse(endpoint); err == nil {
		a.warn("the text to summarize goes to %s", u.Host)
	}
	return nil
}

func (a *app) addModel(l *ladder, name, kind string) error {
	if name == "" {
		if kind == "model" {
			return usagef("--summarizer model: no model is named; try --model PROVIDER/ID")
		}
		return nil
	}
	r := a.registry()
	bound, err := r.Bind(name)
	if err != nil {
		if kind == "auto" {
			a.warn("%s cannot be used: %v; continuing without it", name, err)
			return nil
		}
		return explain("model "+name, err)
	}
	l.Models = append(l.Models, bound)
	facts := bound.Facts()
	l.price = &facts
	a.warn("the text to summarize goes to %s (%s)", bound.Host, name)
	return nil
}

// registry returns the client that reaches models.
func (a *app) registry() *provider.Registry {
	r := provider.NewRegistry(a.settings().models, a.Getenv)
	r.Catalog = a.catalog()
	r.Retry.Notify = func(try int, wait time.Duration, f *message.Fault) {
		a.warn("%s: trying again in %s (%d)", f.Class, wait.Round(time.Second), try)
	}
	return r
}

// cost returns what the plan's summary costs at most.
func (l *ladder) cost(p *compaction.Plan) (costJSON, error) {
	if l.price == nil && l.Remote == nil {
		zero := 0.0
		return costJSON{USD: &zero}, nil
	}
	in, err := p.InputTokens(tokens.Default{})
	if err != nil {
		return costJSON{}, err
	}
	c := costJSON{InputTokens: in, OutputTokens: p.OutputLimit + p.PrefixLimit}
	if l.price != nil {
		if cost := l.price.Cost(message.Usage{Input: c.InputTokens, Output: c.OutputTokens}); cost != nil {
			c.USD = &cost.Total
		}
	}
	return c, nil
}

// progress shows on standard error what is being summarized, until the
// returned function is called.
func (a *app) progress(l *ladder) (stop func()) {
	shown := false
	l.show = func(p summarize.Progress) {
		pass := ""
		if p.Passes > 1 {
			pass = fmt.Sprintf(", pass %d of about %d", p.Pass, p.Passes)
		}
		line := fmt.Sprintf("summarizing the %s: %s%s, %s tokens so far", p.Phase, strings.TrimSpace(p.Rung+" "+p.Model), pass, thousands(p.Tokens))
		if clear := a.clearLine(); clear != "" {
			shown = true
			a.lineShown.Store(true)
			fmt.Fprint(a.Err, clear, line)
			return
		}
		if p.Rung != summarize.RungExtract {
			fmt.Fprintf(a.Err, "%s\n", line)
		}
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.show = nil
		if shown {
			a.lineShown.Store(false)
			fmt.Fprint(a.Err, a.clearLine())
		}
	}
}

var _ compaction.Summarizer = (*ladder)(nil)
