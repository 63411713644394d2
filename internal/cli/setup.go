package cli

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// catalog is what is known of models.
func (a *app) catalog() *provider.Catalog {
	if a.models == nil {
		a.models = provider.NewCatalog(a.settings().models, a.limits())
	}
	return a.models
}

// limits are what refusals taught earlier runs.
func (a *app) limits() *provider.Limits {
	path, err := settings.LimitsPath(a.Getenv)
	if err != nil {
		return nil // no folder, no memory
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
		a.warn("the limits that refusals named are not remembered: %v", err)
	}
}

// masker hides secrets in all that is written or sent.
func (a *app) masker() func(string) string { return a.settings().secrets.Masker().Mask }

// target is the model that gets the next request of a session, with the
// settings that hold for it.
type target struct {
	model    message.Model
	settings compaction.Settings
}

func (t target) policy() timeline.Policy {
	return timeline.Policy{Model: t.model, Target: t.settings.Threshold(t.model.Window)}
}

// targetOf finds the target of a session at leaf (nil: its leaf).
func (a *app) targetOf(ctx context.Context, src timeline.Source, leaf *session.Entry) (target, error) {
	named, err := timeline.ModelInUse(ctx, src, leaf)
	if err != nil {
		return target{}, err
	}
	var t target
	if named != nil {
		t.model = a.catalog().Lookup(named.Provider, named.ModelID)
	} else {
		t.model = a.catalog().Lookup("", "")
		t.model.ID = "" // the policy takes the zero model for "whatever the path names"
	}
	t.settings = a.settings().compaction.For(t.model.Key())
	return t, nil
}

// project says what the model sees at leaf (nil: the session's leaf).
func (a *app) project(ctx context.Context, src timeline.Source, leaf *session.Entry) (*timeline.View, target, error) {
	t, err := a.targetOf(ctx, src, leaf)
	if err != nil {
		return nil, t, err
	}
	v, err := timeline.Project(ctx, src, leaf, t.policy())
	return v, t, err
}

// compactor is the pipeline over a session.
func (a *app) compactor(s *session.Session, t target, summarizer compaction.Summarizer) *compaction.Compactor {
	mask := a.masker()
	return &compaction.Compactor{Session: s, Summarizer: summarizer, Settings: t.settings, Model: t.model,
		Estimator: tokens.Default{}, Mask: mask, Ledger: ledger.Options{Mask: mask}, Branches: a.settings().branches,
		SharedPrefix: a.settings().summaries.Request == summarize.SharedPrefix}
}

// window describes a window for people.
func window(m message.Model) string {
	return fmt.Sprintf("%s tokens (%s)", thousands(m.Window), m.WindowSource)
}
