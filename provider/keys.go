package provider

import (
	"maps"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/provider/internal/catalogue"
)

// Keys names the places that hold a key, sorted: variables of the environment
// and settings. The keys themselves are not shown.
func (r *Registry) Keys() []string {
	places := map[string]bool{}
	look := func(cfg ProviderConfig, v vendor) {
		for _, name := range r.variables(cfg, v) {
			if strings.TrimSpace(r.env(name)) != "" {
				places[name] = true
			}
		}
	}
	for name, cfg := range r.cfg.Providers {
		if cfg.APIKey != "" {
			places["providers."+name+".apiKey"] = true
		}
		look(cfg, lookupVendor(name))
	}
	for _, p := range catalogue.Providers() {
		look(ProviderConfig{}, lookupVendor(p.Name))
	}
	for name := range vendors() {
		look(ProviderConfig{}, lookupVendor(name))
	}
	return slices.Sorted(maps.Keys(places))
}

// Secrets returns the keys and the secret headers of the configured providers, so
// that they can be kept out of what is written.
func (r *Registry) Secrets() []string {
	var out []string
	for _, cfg := range r.cfg.Providers {
		out = append(out, cfg.secrets()...)
		if cfg.APIKeyEnv != "" {
			out = append(out, r.env(cfg.APIKeyEnv))
		}
	}
	return out
}

// secrets are the key and the headers that hold one.
func (c ProviderConfig) secrets() []string {
	out := []string{string(c.APIKey)}
	for name, v := range c.Headers {
		if secretHeader().MatchString(name) {
			out = append(out, strings.TrimPrefix(string(v), "Bearer "))
		}
	}
	return out
}
