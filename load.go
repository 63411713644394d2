package coppice

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/settings"
	"github.com/coppice-dev/coppice/summarize"
)

// remoteToken is the variable that holds the bearer token of the endpoint for
// summaries (docs/settings.md, compaction.remoteEndpoint).
const remoteToken = "COPPICE_REMOTE_TOKEN"

// Load returns the options that the user's settings ask for. It reads the
// user's file, the trusted part of the project's file in dir, and the
// environment (docs/settings.md). It sends nothing. Model is the one named in the
// settings; nil if they name none or it cannot be called.
//
// The options can always be used. The error says which settings are wrong and
// were left out. Hooks, permissions and tool servers are not part of the
// options: the program that runs them reads their keys itself.
func Load(ctx context.Context, dir string) (Options, error) {
	if err := guard.Ready(ctx); err != nil {
		return Options{}, ended(ctx, err)
	}
	var (
		o         Options
		summaries summarize.Settings
		secrets   secret.Settings
		models    provider.Config
	)
	o.EnsureDefaults()
	summaries.EnsureDefaults()
	models.EnsureDefaults()
	_, problems := settings.Load(settings.Options{Project: dir, Getenv: os.Getenv},
		settings.Part{Key: "compaction", Into: &o.Compaction}, settings.Part{Key: "compaction", Into: &summaries},
		settings.Part{Key: "branchSummary", Into: &o.Branches}, settings.Part{Key: "prune", Into: &o.Prune},
		settings.Part{Key: "secrets", Into: &secrets}, settings.Part{Into: &models})
	var errs []error
	for _, p := range problems {
		if !p.Unknown {
			errs = append(errs, fmt.Errorf("settings: %w", p))
		}
	}
	o.SharedPrefix = summaries.Request == summarize.SharedPrefix
	registry := registryOf(models, &errs)
	o.Mask = secrets.Masker(os.Environ(), registry.Secrets()...)
	o.Catalog, o.Limits = registry.Catalog, registry.Catalog.Limits
	if models.Model != "" {
		if m, err := registry.Bind(models.Model); err != nil {
			errs = append(errs, fmt.Errorf("model %s: %w", models.Model, err))
		} else {
			o.Model = m
		}
	}
	o.Summarizer = summarizerOf(summaries, registry, o, &errs)
	return o, errors.Join(errs...)
}

// registryOf gives access to the models of the settings, with the limits that
// earlier programs learned from refusals.
func registryOf(c provider.Config, errs *[]error) *provider.Registry {
	limits := &provider.Limits{}
	if paths, err := settings.PathsOf(os.Getenv); err == nil { // without a folder nothing was learned
		l, err := provider.OpenLimits(paths.Limits)
		if err != nil {
			*errs = append(*errs, err)
		}
		if l != nil {
			limits = l
		}
	}
	r := provider.NewRegistry(c, os.Getenv)
	r.Catalog = provider.NewCatalog(c, limits)
	return r
}

// summarizerOf returns what writes the summaries if the settings name an
// endpoint or a model; nil means the session's own model.
func summarizerOf(s summarize.Settings, r *provider.Registry, o Options, errs *[]error) compaction.Summarizer {
	if s.RemoteEndpoint == "" && s.Model == "" {
		return nil
	}
	l := &summarize.Ladder{Mask: o.Mask, Extract: true}
	if s.RemoteEndpoint != "" {
		remote := &summarize.Remote{URL: s.RemoteEndpoint, Token: os.Getenv(remoteToken)}
		if err := remote.Validate(); err != nil {
			*errs = append(*errs, fmt.Errorf("settings: compaction.remoteEndpoint: %w", err))
		} else {
			l.Remote = remote
		}
	}
	if s.Model != "" {
		m, err := r.Bind(s.Model)
		if err != nil {
			*errs = append(*errs, fmt.Errorf("settings: compaction.model: %w", err))
		} else {
			l.Models = append(l.Models, m)
		}
	}
	if o.Model != nil && s.Model == "" {
		l.Models = append(l.Models, o.Model)
	}
	return l
}
