package provider

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/internal/catalogue"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// Registry finds models by "provider/id" and makes them ready for calls. The
// zero value is not usable: call NewRegistry.
type Registry struct {
	// Catalog is what is known about models; it learns from refusals.
	Catalog *Catalog
	// HTTP makes the calls; nil means a plain client.
	HTTP *http.Client
	// Retry, IdleTimeout and Patterns are given to every client.
	Retry       Retry
	IdleTimeout time.Duration
	Patterns    []Pattern

	cfg Config
	env func(name string) string
}

// NewRegistry makes a registry over the user's configuration, with its retries
// and patterns. env looks up keys by variable name, like os.Getenv; nil has none.
// Nothing else of the environment is read.
func NewRegistry(cfg Config, env func(name string) string) *Registry {
	if env == nil {
		env = func(string) string { return "" }
	}
	return &Registry{Catalog: NewCatalog(cfg, nil), Retry: cfg.Retry, Patterns: cfg.Errors.Patterns, cfg: cfg, env: env}
}

// Bind makes a model ready for calls. name is "provider/id"; the id may hold
// slashes. If the key is missing, the error is a *message.Fault of class auth
// that names the variable to set.
func (r *Registry) Bind(name string) (*Bound, error) {
	provider, id, ok := strings.Cut(name, "/")
	if !ok || provider == "" || id == "" {
		return nil, fmt.Errorf("model %q: a name has the form provider/id", name)
	}
	m := r.Catalog.Lookup(provider, id)
	dialect, ok := dialects.ByName(m.API)
	if !ok {
		return nil, fmt.Errorf("provider %s: unknown type %q", provider, m.API)
	}
	cfg := r.cfg.Providers[provider]
	v := lookupVendor(provider)
	cfg.APIKey = Secret(r.key(cfg, v))
	if cfg.APIKey == "" && r.needsKey(cfg, v) {
		return nil, &message.Fault{Class: message.ClassAuth, Message: fmt.Sprintf("no key for %s: set %s",
			provider, strings.Join(append(r.variables(cfg, v), "providers."+provider+".apiKey"), " or "))}
	}
	cfg.BaseURL = cmp.Or(cfg.BaseURL, v.baseURL, catalogue.Lookup(v.catalogue).BaseURL)
	if cfg.BaseURL == "" {
		return nil, fmt.Errorf("provider %s: its address is not known: set providers.%s.baseUrl", provider, provider)
	}
	c := New(cfg, dialect, r.HTTP)
	c.Retry, c.IdleTimeout, c.Patterns = r.Retry, r.IdleTimeout, r.Patterns
	host := cfg.BaseURL
	if u, err := url.Parse(cfg.BaseURL); err == nil && u.Host != "" {
		host = u.Host
	}
	return &Bound{Client: c, Model: m, Host: host, Catalog: r.Catalog}, nil
}

// Names reports whether the configuration names a provider. Others are called
// only when chosen, and asked nothing before that.
func (r *Registry) Names(provider string) bool {
	_, named := r.cfg.Providers[provider]
	return named || strings.HasPrefix(r.cfg.Model, provider+"/")
}

// Default names the model to use if none was named: that of the first of the
// user's own providers with a key. A vendor whose key is only in the environment
// was not chosen to get anything: then ok is false, and name is only a
// suggestion; "": there is no key.
func (r *Registry) Default() (name string, ok bool) {
	for _, p := range slices.Sorted(maps.Keys(r.cfg.Providers)) {
		cfg, v := r.cfg.Providers[p], lookupVendor(p)
		if r.key(cfg, v) == "" && r.needsKey(cfg, v) {
			continue
		}
		if len(cfg.Models) > 0 {
			return p + "/" + cfg.Models[0].ID, true
		}
		if id := catalogue.Lookup(v.catalogue).Standard; id != "" {
			return p + "/" + id, true
		}
	}
	for _, p := range catalogue.Providers() {
		v := lookupVendor(p.Name)
		if p.Standard != "" && r.key(ProviderConfig{}, v) != "" && cmp.Or(v.baseURL, p.BaseURL) != "" {
			return p.Name + "/" + p.Standard, false
		}
	}
	return "", false
}

// key finds the key to use: the user's, from the user's variable, from a
// vendor's usual variable.
func (r *Registry) key(cfg ProviderConfig, v vendor) string {
	if cfg.APIKey != "" {
		return string(cfg.APIKey)
	}
	for _, name := range r.variables(cfg, v) {
		if key := strings.TrimSpace(r.env(name)); key != "" {
			return key
		}
	}
	return ""
}

// variables are the names under which a key is looked up.
func (r *Registry) variables(cfg ProviderConfig, v vendor) []string {
	switch {
	case cfg.APIKeyEnv != "":
		return []string{cfg.APIKeyEnv}
	case len(v.keys) > 0:
		return slices.Clone(v.keys)
	}
	if name := catalogue.Lookup(v.catalogue).KeyEnv; name != "" {
		return []string{name}
	}
	return nil
}

// needsKey reports whether a call without a key is bound to fail. A user's own
// server may need none, or a header instead.
func (r *Registry) needsKey(cfg ProviderConfig, v vendor) bool {
	return cfg.APIKeyEnv != "" || cfg.BaseURL == "" && !v.keyless && len(cfg.Headers) == 0
}

// Bound is a model with the client that reaches it. The zero value is not
// usable: Registry.Bind makes one.
type Bound struct {
	Client *Client
	Model  message.Model
	Host   string // where the requests go, for people
	// Catalog learns windows from refusals; nil: nothing is learned.
	Catalog *Catalog
}

// Facts returns the model, with the limits learned from refusals since it was
// bound.
func (b *Bound) Facts() message.Model {
	if b.Catalog == nil {
		return b.Model
	}
	return b.Catalog.Limits.InForce(b.Model)
}

// Complete makes a call and returns the whole answer; see Client.Complete.
func (b *Bound) Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error) {
	answer, err := b.Client.Complete(ctx, b.Facts(), req, opts)
	once(b.Model, req, answer)
	b.learn(req, answer, err)
	return answer, err
}

// Stream makes a call and yields the answer as it comes; see Client.Stream.
func (b *Bound) Stream(ctx context.Context, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error] {
	return func(yield func(message.Event, error) bool) {
		for ev, err := range b.Client.Stream(ctx, b.Facts(), req, opts) {
			once(b.Model, req, ev.Message)
			b.learn(req, ev.Message, err)
			if !yield(ev, err) {
				return
			}
		}
	}
}

// learn records a limit that a refusal named, or drops one that a success
// disproved.
func (b *Bound) learn(req timeline.Request, answer *message.Message, err error) {
	if b.Catalog == nil {
		return
	}
	if f, ok := message.AsFault(err); ok {
		b.Catalog.Limits.doubt(b.Model, f, func() int64 { return estimateOf(req) })
		b.Catalog.Limits.Learn(b.Model, f)
	}
	if answer != nil && answer.Usage != nil {
		b.Catalog.Limits.accepted(b.Catalog.known(b.Model.Provider, b.Model.ID), answer.Usage.Prompt())
	}
}
