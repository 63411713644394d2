package main

import (
	"fmt"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

// tariff is what a provider charges and how its prompt cache works.
type tariff struct {
	name            string
	provider, model string        // of the catalogue
	price           message.Price // US dollars for a million tokens

	lifetime time.Duration // of a cached prefix after its last use
	least    int64         // prefixes below this many tokens are not cached

	// marked: only what comes before a mark is cached, and a prefix is found if
	// it ends at most lookback positions before a mark. Otherwise every prefix is
	// cached, in steps of that many tokens.
	marked   bool
	lookback int
	step     int64
}

// tariffs are those that bills are made for, with prices from the catalogue.
func tariffs() ([]tariff, error) {
	out := []tariff{
		{name: "claude-opus-5, 5 minutes", provider: "anthropic", model: "claude-opus-5", lifetime: 5 * time.Minute, least: 512, marked: true, lookback: 20},
		{name: "claude-opus-5, 1 hour", provider: "anthropic", model: "claude-opus-5", lifetime: time.Hour, least: 512, marked: true, lookback: 20},
		{name: "gpt-5.6-sol, 30 minutes", provider: "openai", model: "gpt-5.6-sol", lifetime: 30 * time.Minute, least: 1024, step: 1},
		{name: "gpt-5.1, writes free", provider: "openai", model: "gpt-5.1", lifetime: 5 * time.Minute, least: 1024, step: 128},
	}
	catalog := provider.NewCatalog(provider.Config{}, nil)
	for i := range out {
		t := &out[i]
		known := catalog.Lookup(t.provider, t.model).Price
		if known == nil {
			return nil, fmt.Errorf("the catalogue has no price of %s/%s", t.provider, t.model)
		}
		t.price = *known
		if t.marked && t.lifetime == time.Hour {
			t.price.CacheWrite = 2 * known.Input // the catalogue has the price for five minutes
		}
	}
	return out, nil
}

// bill is what calls cost, and how much of it was for summaries.
type bill struct {
	Total   float64 `json:"total"` // US dollars
	Summary float64 `json:"summary"`
}

// bill prices calls, in order.
func (t tariff) bill(calls []call) bill {
	c := cache{tariff: t, prefixes: map[uint64]time.Time{}}
	var all, summaries message.Usage
	for _, k := range calls {
		u := c.take(k)
		all.Add(&u)
		if k.summary {
			summaries.Add(&u)
		}
	}
	m := message.Model{Price: &t.price}
	return bill{Total: m.Cost(all).Total, Summary: m.Cost(summaries).Total}
}
