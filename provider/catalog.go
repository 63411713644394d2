package provider

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/internal/catalogue"
)

// DefaultWindow is the context window of a model that no one knows, in
// tokens. Users should be warned where it is in force.
const DefaultWindow = 128_000

// Where a window comes from (message.Model.WindowSource).
const (
	WindowSetting   = "setting"   // the user said so
	WindowServer    = "server"    // the server reported it
	WindowLearned   = "learned"   // a refusal named it
	WindowCatalogue = "catalogue" // the built-in catalogue has it
	WindowDefault   = "default"   // DefaultWindow
)

// Catalog says what is known of models: from the user's settings, from what
// servers reported and refusals taught, and from a built-in catalogue. It is
// safe for concurrent use. Making one costs nothing.
type Catalog struct {
	// Limits hold what refusals have taught.
	Limits *Limits

	cfg Config
}

// NewCatalog makes a catalogue over the user's configuration. limits are what
// earlier refusals taught; nil: nothing yet.
func NewCatalog(cfg Config, limits *Limits) *Catalog {
	if limits == nil {
		limits = &Limits{}
	}
	limits.TrustSettings = limits.TrustSettings || cfg.Windows.TrustSettings
	return &Catalog{Limits: limits, cfg: cfg}
}

// Lookup returns what is known of a model, under the names it was asked for.
// It finds models under the notations of other programs and sellers too:
// with or without a date, after a maker's prefix, at another provider.
func (c *Catalog) Lookup(provider, id string) message.Model {
	return c.Limits.InForce(c.known(provider, id))
}

// known is a model without what refusals have taught.
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
	heard := c.Limits.heard(m)
	m.MaxInput = heard.input
	m.MaxOutput = cmp.Or(said.MaxOutputTokens, heard.output, m.MaxOutput)
	if said.Images != nil {
		m.Images = *said.Images
	}
	if said.Reasoning != nil {
		m.Reasoning = *said.Reasoning
	}
	if said.Price != nil {
		m.Price = said.Price
	}
	m.Window, m.WindowSource = window(said, heard, row)
	if m.MaxOutput >= m.Window {
		m.MaxOutput = 0
	}
	return m
}

// window is the one that the user says, else the server, else the catalogue,
// else the default.
func window(said ModelConfig, heard claims, row *catalogue.Model) (int64, string) {
	switch {
	case said.ContextWindow > 0:
		return said.ContextWindow, WindowSetting
	case heard.window > 0:
		return heard.window, WindowServer
	case row != nil && row.Window > 0:
		return row.Window, WindowCatalogue
	case heard.input > 0:
		return heard.input, WindowServer
	}
	return DefaultWindow, WindowDefault
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
// it changes: those before the fifth generation of Claude. Others are taken
// to bind it.
func unbound(id string) bool {
	name := catalogue.PlainName(id)
	for _, p := range []string{"claude-3", "claude-opus-4", "claude-sonnet-4", "claude-haiku-4"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// adaptive reports models that decide by themselves how long they think: Claude
// from Opus 4.6 and Sonnet 4.6 on. Later ones refuse a budget.
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

// StandIn is a usual model that speaks a dialect, for requests of a session
// whose own model speaks another one.
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
