package provider

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/internal/catalogue"
)

// defaultWindow is the context window assumed for an unknown model, in tokens.
// Warn users when it is in force.
const defaultWindow = 128_000

// Where a window comes from (message.Model.WindowSource), as far as a caller
// sets it or warns of it; docs/cli.md has the other words.
const (
	WindowSetting = kinds.WindowSetting // the user said so
	WindowDefault = kinds.WindowDefault // no one said anything
)

// Catalog says what is known about models: from the user's settings, from what
// servers reported, from refusals, and from a built-in catalogue. It is safe for
// concurrent use. Making one costs nothing.
type Catalog struct {
	// Limits hold what was learned from refusals.
	Limits *Limits

	cfg Config
}

// NewCatalog makes a catalogue over the user's configuration. limits are what was
// learned from earlier refusals; nil: nothing yet.
func NewCatalog(cfg Config, limits *Limits) *Catalog {
	if limits == nil {
		limits = &Limits{}
	}
	limits.TrustSettings = limits.TrustSettings || cfg.Windows.TrustSettings
	return &Catalog{Limits: limits, cfg: cfg}
}

// Lookup returns what is known about a model, under the name it was asked for. It
// also finds models as other programs and providers write them: with or without a
// date, with a vendor prefix, at another provider.
func (c *Catalog) Lookup(provider, id string) message.Model {
	return c.Limits.InForce(c.known(provider, id))
}

// known is a model without what was learned from refusals.
func (c *Catalog) known(provider, id string) message.Model {
	v, pc := lookupVendor(provider), c.cfg.Providers[provider]
	m := message.Model{
		Provider:         provider,
		ID:               id,
		API:              cmp.Or(pc.api(), v.api, catalogue.Lookup(v.catalogue).API, apiChat),
		UnboundThinking:  unbound(id),
		AdaptiveThinking: adaptive(id),
	}
	if pc.BaseURL == "" {
		m.MaxBytes = v.maxBytes // another server has limits of its own
		if m.API == apiChat {
			m.MaxMessages = v.maxChat
		}
	} else if u, err := url.Parse(pc.BaseURL); err == nil {
		m.Server = u.Host
	}
	row, own := catalogue.Find(v.catalogue, id)
	if row != nil {
		m.MaxOutput, m.Images, m.Reasoning = row.MaxOutput, row.Images, row.Reasoning
		if price := row.Price; own && price != (message.Price{}) {
			m.Price = &price
		}
	}
	said := pc.model(id)
	reported := c.Limits.reported(m)
	m.MaxInput = reported.input
	m.MaxOutput = cmp.Or(said.MaxOutputTokens, reported.output, m.MaxOutput)
	if said.Images != nil {
		m.Images = *said.Images
	}
	if said.Reasoning != nil {
		m.Reasoning = *said.Reasoning
	}
	if said.Price != nil {
		m.Price = said.Price
	}
	if m.Window, m.WindowSource = window(said, reported, row); m.MaxInput == 0 && m.WindowSource == kinds.WindowCatalogue {
		m.MaxInput = inputOf(provider, row)
	}
	if m.MaxOutput >= m.Window {
		m.MaxOutput = 0
	}
	return m
}

// window takes the user's setting, else the server's, else the catalogue's, else
// the default.
func window(said ModelConfig, reported claims, row *catalogue.Model) (int64, string) {
	switch {
	case said.ContextWindow > 0:
		return said.ContextWindow, WindowSetting
	case reported.window > 0:
		return reported.window, kinds.WindowServer
	case row != nil && row.Window > 0:
		return row.Window, kinds.WindowCatalogue
	case reported.input > 0:
		return reported.input, kinds.WindowServer
	}
	return defaultWindow, WindowDefault
}

// inputOf is how much of a model's window is for its input, where the rest is for
// the output alone: GPT-5 takes 272,000 of 400,000 tokens, later ones 922,000 of
// 1,050,000, but 272,000 with a ChatGPT login (docs/limits.md, Windows). 0: all of
// it.
func inputOf(provider string, row *catalogue.Model) int64 {
	large := row.Window == 1_050_000
	switch {
	case !strings.HasPrefix(row.Plain, "gpt-5") || !large && row.Window != 400_000:
		return 0
	case large && provider != "openai-codex":
		return 922_000
	}
	return 272_000
}

func (c ProviderConfig) model(id string) ModelConfig {
	for _, m := range c.Models {
		if m.ID == id {
			return m
		}
	}
	return ModelConfig{}
}

// unbound reports models whose signed thinking stays valid when the text before
// it changes: Claude before the fifth generation. All others are assumed to bind
// it.
func unbound(id string) bool {
	name := catalogue.PlainName(id)
	for _, p := range []string{"claude-3", "claude-opus-4", "claude-sonnet-4", "claude-haiku-4"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// adaptive reports models that decide themselves how long to think: Claude from
// Opus 4.6 and Sonnet 4.6 on. Later ones refuse a budget.
func adaptive(id string) bool {
	name, claude := strings.CutPrefix(catalogue.PlainName(id), "claude-")
	if !claude || name == "" {
		return false
	}
	for _, p := range []string{"1", "2", "3", "instant", "v", "haiku-4"} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	for _, p := range []string{"opus-4", "sonnet-4"} {
		if minor, four := strings.CutPrefix(name, p); four {
			return len(minor) > 1 && minor[:2] >= "-6" && (len(minor) == 2 || minor[2] == '-')
		}
	}
	return true
}

// StandIn is a common model that speaks a dialect, for a session whose own model
// speaks another one.
func (c *Catalog) StandIn(api string) message.Model {
	maker := map[string]string{apiAnthropic: "anthropic", apiChat: "openai", apiResponses: "openai", apiGemini: "gemini"}[api]
	m := c.Lookup(maker, catalogue.Lookup(maker).Standard)
	m.API = api
	return m
}

// List returns all models: the user's, the built-in ones and those whose
// window was learned, by name.
func (c *Catalog) List() []message.Model {
	names := map[[2]string]bool{}
	for provider, pc := range c.cfg.Providers {
		for _, m := range pc.Models {
			names[[2]string{provider, m.ID}] = true
		}
	}
	for _, m := range catalogue.Models() {
		names[[2]string{m.Provider, m.ID}] = true
	}
	for _, key := range c.Limits.Models() {
		if provider, id, ok := strings.Cut(key, "/"); ok {
			names[[2]string{provider, id}] = true
		}
	}
	list := make([]message.Model, 0, len(names))
	for n := range names {
		list = append(list, c.Lookup(n[0], n[1]))
	}
	slices.SortFunc(list, func(a, b message.Model) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.ID, b.ID))
	})
	return list
}
