package coppice

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// Model is a model that can be called. *provider.Bound is one. A failure is a
// *message.Fault. The model itself retries temporary failures, as long as nothing
// has been streamed.
type Model interface {
	Facts() message.Model
	Stream(ctx context.Context, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error]
	Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error)
}

// Options configure a session. The zero value works: it means the model named in
// the session, with the window from the catalogue, the default settings, and
// summaries by extraction, which needs no model and sends nothing anywhere. Load
// returns the user's.
type Options struct {
	// Model gets the requests, and writes the summaries if Summarizer is nil.
	Model Model
	// Facts describe the model if Model is nil. Without an ID they apply to
	// whichever model the session names, and override the catalogue.
	Facts message.Model
	// Call has the parameters of each call. Zero fields are set for each request:
	// the output from the room that is left, the thinking level from the log.
	Call message.CallOptions

	Compaction compaction.Settings
	Branches   compaction.BranchSettings
	Prune      prune.Settings
	// SharedPrefix asks for a summary with the last request plus one instruction,
	// so that the provider's cache serves most of it.
	SharedPrefix bool

	// Summarizer makes the summaries. nil: Model, if there is one, then
	// extraction.
	Summarizer compaction.Summarizer
	Estimator  tokens.Estimator    // counts tokens; nil: tokens.Default
	Mask       func(string) string // hides secrets in what we write and send to summarizers; safe for concurrent use; nil: the known shapes, and the values of secret variables of the environment
	Hooks      *hook.Bus           // hooks, which may answer during calls; nil: none
	// Extractors find what calls of your own tools did to files; nil: only the
	// tools that Coppice knows count.
	Extractors []ledger.Extractor
	// Catalog is what is known about models. nil: the built-in one.
	Catalog *provider.Catalog
	// Limits are what was learned about models from refusals. nil: those of
	// Catalog.
	Limits *provider.Limits

	ReadOnly bool             // open without the writer's lock
	Now      func() time.Time // nil: time.Now
}

// EnsureDefaults gives every field that is not set its default, one by one.
func (o *Options) EnsureDefaults() {
	o.Compaction.EnsureDefaults()
	o.Branches.EnsureDefaults()
	o.Prune.EnsureDefaults()
	if o.Call.CacheLifetime == 0 {
		o.Call.CacheLifetime = render.UsualLifetime
	}
	o.Estimator = estimate.Checked(o.Estimator)
	if o.Mask == nil {
		o.Mask = secret.Default()
	}
	if o.Limits == nil {
		o.Limits = limitsOf(o.Model, o.Catalog)
	}
	if o.Catalog == nil {
		o.Catalog = provider.NewCatalog(provider.Config{}, o.Limits)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// limitsOf returns the limits in which the model itself records what it learns,
// else those of the catalogue.
func limitsOf(m Model, c *provider.Catalog) *provider.Limits {
	if b, ok := m.(*provider.Bound); ok && b.Catalog != nil {
		return b.Catalog.Limits
	}
	if c != nil && c.Limits != nil {
		return c.Limits
	}
	return &provider.Limits{}
}

// Validate names the fields that are wrong.
func (o Options) Validate() error {
	var errs []error
	for _, f := range []struct {
		name string
		err  error
	}{
		{"Compaction", o.Compaction.Validate()}, {"Branches", o.Branches.Validate()}, {"Prune", o.Prune.Validate()},
		{"Facts", validFacts(o.Facts)}, {"Call", validCall(o.Call)},
	} {
		if f.err != nil {
			errs = append(errs, fmt.Errorf("options: %s: %w", f.name, f.err))
		}
	}
	return errors.Join(errs...)
}

func validFacts(m message.Model) error {
	var errs []error
	for _, limit := range []struct {
		name string
		n    int64
	}{{"Window", m.Window}, {"MaxInput", m.MaxInput}, {"MaxOutput", m.MaxOutput}, {"MaxBytes", m.MaxBytes},
		{"MaxImages", m.MaxImages}, {"MaxImageSide", m.MaxImageSide}, {"MaxImageSize", m.MaxImageSize},
		{"MaxMessages", m.MaxMessages}, {"MaxTools", m.MaxTools}} {
		errs = append(errs, valid.NotNegative(limit.name, &limit.n))
	}
	if _, ok := dialects.ByName(m.API); m.API != "" && !ok {
		errs = append(errs, fmt.Errorf("API %q is not a dialect", m.API))
	}
	return errors.Join(errs...)
}

func validCall(c message.CallOptions) error {
	errs := []error{validThinking(c.Thinking), valid.NotNegative("MaxOutput", &c.MaxOutput), valid.NotNegative("CacheLifetime", &c.CacheLifetime)}
	if t := c.Temperature; t != nil && !(*t >= 0 && *t <= math.MaxFloat64) { // NaN is not between either
		errs = append(errs, valid.Wrong("Temperature", "must be a number of 0 or more, not %v", *t))
	}
	return errors.Join(errs...)
}

// thinkingLevels are those of the session format.
var thinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

func validThinking(level string) error {
	if level != "" && !slices.Contains(thinkingLevels, level) {
		return fmt.Errorf("thinking level %q is not one of %s", level, strings.Join(thinkingLevels, ", "))
	}
	return nil
}
