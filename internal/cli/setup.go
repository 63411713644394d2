package cli

import (
	"fmt"

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
	path, err := settings.LimitsPath(a.Getenv)
	if err != nil {
		return nil // without a folder nothing is remembered
	}
	l, err := provider.OpenLimits(path)
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
func (a *app) masker() func(string) string { return a.settings().secrets.Masker().Mask }

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

// window describes a window for people.
func window(m message.Model) string {
	return fmt.Sprintf("%s tokens (%s)", thousands(m.Window), m.WindowSource)
}
