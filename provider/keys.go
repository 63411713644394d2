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
