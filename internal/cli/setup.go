package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// settings loads the settings once and warns of what is wrong in them.
func (a *app) settings() *settings.Settings {
	if a.loaded != nil {
		return a.loaded
	}
	s, problems := settings.Load(a.settingsFiles())
	a.loaded = s
	for _, p := range problems {
		a.warn("settings: %v", p)
	}
	if f := s.Project; f != nil && len(f.Ignored) > 0 {
		a.warn("settings: %s of %s do not count until you trust the file: coppice settings trust", strings.Join(f.Ignored, ", "), f.Path)
	}
	return s
}

// settingsFiles says where settings are found.
func (a *app) settingsFiles() settings.Options {
	return settings.Options{Project: a.Dir, Getenv: a.Getenv, ReadFile: readRegular}
}

// readRegular reads a file, but waits for no pipe.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	return os.ReadFile(name)
}

// catalog is what is known of models.
func (a *app) catalog() *provider.Catalog {
	if a.models == nil {
		a.models = provider.NewCatalog(a.providers(), a.limits())
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

// providers is the user's configuration in the words of package provider.
func (a *app) providers() provider.Config {
	cfg := provider.Config{Providers: map[string]provider.ProviderConfig{}}
	for name, p := range a.settings().Providers {
		pc := provider.ProviderConfig{Type: string(p.Type), BaseURL: string(p.BaseURL), APIKey: string(p.APIKey),
			APIKeyEnv: p.APIKeyEnv, Headers: map[string]string{}}
		for k, v := range p.Headers {
			pc.Headers[k] = string(v)
		}
		for _, m := range p.Models {
			mc := provider.ModelConfig{ID: m.ID, ContextWindow: m.ContextWindow, MaxOutputTokens: m.MaxOutputTokens,
				Images: m.Images, Reasoning: m.Reasoning}
			if m.Price != nil {
				mc.Price = &message.Price{Input: m.Price.Input, Output: m.Price.Output, CacheRead: m.Price.CacheRead, CacheWrite: m.Price.CacheWrite}
			}
			pc.Models = append(pc.Models, mc)
		}
		cfg.Providers[name] = pc
	}
	return cfg
}

// masker hides secrets in all that is written or sent.
func (a *app) masker() func(string) string {
	var extra []string
	for _, p := range a.settings().Secrets.Patterns {
		extra = append(extra, string(p))
	}
	m, err := secret.New(extra)
	if err != nil { // patterns are checked when settings are read
		m, _ = secret.New(nil)
	}
	return m.Mask
}

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
	c := a.settings().Compaction.For(t.model.Provider, t.model.ID)
	t.settings = compactionSettings(c)
	return t, nil
}

// compactionSettings are the settings in the words of package compaction.
func compactionSettings(c settings.Compaction) compaction.Settings {
	return compaction.Settings{Enabled: c.Enabled, ReserveTokens: c.ReserveTokens, KeepRecentTokens: c.KeepRecentTokens,
		ThresholdTokens: c.ThresholdTokens, ThresholdPercent: float64(c.ThresholdPercent), MinGain: float64(c.MinGain),
		ResidueTokens: c.ResidueTokens, ConstraintTokens: c.ConstraintTokens}
}

// branchSettings are the settings in the words of package compaction.
func (a *app) branchSettings() compaction.BranchSettings {
	b := a.settings().BranchSummary
	return compaction.BranchSettings{Enabled: b.Enabled, ReserveTokens: b.ReserveTokens}
}

// pruneSettings are the settings in the words of package prune.
func (a *app) pruneSettings() prune.Settings {
	p := a.settings().Prune
	return prune.Settings{ToolOutput: p.ToolOutput.Enabled, ProtectTokens: p.ToolOutput.ProtectTokens, MinSavings: p.ToolOutput.MinSavings,
		ProtectedTools: p.ToolOutput.ProtectedTools, Superseded: p.Superseded, Empty: p.Empty, Media: p.Media}
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
		Estimator: tokens.Default{}, Mask: mask, Ledger: ledger.Options{Mask: mask}, Branches: a.branchSettings(),
		SharedPrefix: a.settings().Compaction.Request == settings.RequestSharedPrefix}
}

// window describes a window for people.
func window(m message.Model) string {
	return fmt.Sprintf("%s tokens (%s)", thousands(m.Window), m.WindowSource)
}
