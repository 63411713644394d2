package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/summarize"
)

// catalog is what is known about models.
func (a *app) catalog() *provider.Catalog {
	if a.models == nil {
		a.models = provider.NewCatalog(a.settings().models, a.limits())
	}
	return a.models
}

// limits are what earlier runs learned from refusals.
func (a *app) limits() *provider.Limits {
	paths, err := settings.PathsOf(a.Getenv)
	if err != nil {
		return nil // without a folder nothing is remembered
	}
	l, err := provider.OpenLimits(paths.Limits)
	if err != nil {
		a.warn("%v", err)
	}
	l.Now = a.Now
	return l
}

// remember keeps what this run learned for the next one.
func (a *app) remember() {
	if a.models == nil {
		return
	}
	if err := a.models.Limits.Save(); err != nil {
		a.warn("cannot save the limits learned from refusals: %v", err)
	}
}

// masker hides secrets in all that is written or sent.
func (a *app) masker() func(string) string {
	known := provider.NewRegistry(a.settings().models, a.Getenv).Secrets()
	return a.settings().secrets.Masker(a.Environ, known...)
}

// options are the user's options for the engine. Commands add hooks and a
// summarizer where they need them: a command that only looks at a file must
// not run or ask anything.
func (a *app) options() coppice.Options {
	c := a.settings()
	return coppice.Options{Compaction: c.compaction, Branches: c.branches, Prune: c.prune, Mask: a.masker(), Catalog: a.catalog(), Now: a.Now,
		SharedPrefix: c.summaries.Request == summarize.SharedPrefix, Summarizer: &summarize.Ladder{Mask: a.masker(), Extract: true}}
}

// asking adds the user's hooks.
func (a *app) asking(o *coppice.Options) { o.Hooks = a.hooks() }

// askWindowTime is how long a command waits for a server to report a window.
const askWindowTime = 2 * time.Second

// askWindows asks the servers of models for their windows, all at once, if they
// have not answered lately.
func (a *app) askWindows(ctx context.Context, models ...*provider.Bound) {
	ctx, stop := context.WithTimeout(ctx, askWindowTime)
	defer stop()
	below := make([]int64, len(models))
	var wg sync.WaitGroup
	for i, m := range models {
		wg.Go(func() { below[i] = m.AskWindow(ctx) })
	}
	wg.Wait()
	for i, m := range models {
		if below[i] > 0 {
			a.warn("the settings give %s a window of %s tokens, but its server says %s; the settings are used", m.Model.Key(), thousands(m.Model.Window), thousands(below[i]))
		}
	}
}

// askNamed is askWindows for those models whose provider the settings name.
func (a *app) askNamed(ctx context.Context, models ...message.Model) {
	r := a.registry()
	var named []*provider.Bound
	for _, m := range models {
		if !r.Names(m.Provider) {
			continue
		}
		if bound, err := r.Bind(m.Key()); err == nil { // without a key no one can be asked
			named = append(named, bound)
		}
	}
	a.askWindows(ctx, named...)
}

// askForSession asks for the window of the model of the next request.
func (a *app) askForSession(ctx context.Context, s *coppice.Session) error {
	facts, err := s.Facts(ctx)
	if err == nil && facts.ID != "" {
		a.askNamed(ctx, facts)
	}
	return explain("read "+s.Ref(), err)
}

// speaker is the model that a request in a dialect is made for: the session's,
// else that of the settings, else a usual one that stands in for it.
func (a *app) speaker(dialect string, facts message.Model) (m message.Model, standIn bool) {
	if facts.ID != "" && facts.API == dialect {
		return facts, false
	}
	if maker, id, ok := strings.Cut(a.settings().models.Model, "/"); ok {
		if m := a.catalog().Lookup(maker, id); m.API == dialect {
			return m, false
		}
	}
	return a.catalog().StandIn(dialect), true
}

// window describes a window for people.
func window(m message.Model) string {
	return fmt.Sprintf("%s tokens (%s)", thousands(m.Window), m.WindowSource)
}
