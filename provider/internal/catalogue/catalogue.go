// Package catalogue holds what is known about models and their providers:
// windows, limits, prices, addresses. It is a compiled-in table: it costs nothing
// at start-up, and a lookup is cheap.
package catalogue

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

//go:generate go run ./gen

// Model is a model as a provider offers it.
type Model struct {
	Provider, ID string
	Plain        string        // PlainName of the id
	Window       int64         // tokens
	MaxOutput    int64         // tokens; 0: not known
	Images       bool          // it reads images
	Reasoning    bool          // it can think before it answers
	Price        message.Price // zero: not known
}

// Provider is a company that offers models.
type Provider struct {
	Name     string
	API      string // dialect
	BaseURL  string // "": not known
	KeyEnv   string // variable that usually holds the key
	Standard string // the model that is usually chosen
}

// Models are all models, in the order of Providers, the newest of each first.
// Callers must not change them.
func Models() []Model { return models }

// Providers are all providers: the makers of models first. Callers must not
// change them.
func Providers() []Provider { return providers }

// Lookup returns a provider; the zero Provider if it is not known.
func Lookup(name string) Provider {
	for _, p := range providers {
		if p.Name == name {
			return p
		}
	}
	return Provider{}
}

// Find looks for a model: as named, then at its provider without date and
// notation, then anywhere. own reports whether the provider itself offers it, so
// that its price applies. nil: no provider offers it.
func Find(provider, id string) (m *Model, own bool) {
	for i := range models {
		if m := &models[i]; m.ID == id && m.Provider == provider {
			return m, true
		}
	}
	plain, last := PlainName(id), lastPart(id)
	var best *Model
	bestRank := 0
	for i := range models {
		m := &models[i]
		rank := 0
		switch {
		case m.Provider == provider && m.Plain == plain:
			rank = 4
		case strings.EqualFold(m.ID, id):
			rank = 3
		case strings.EqualFold(lastPart(m.ID), last):
			rank = 2
		case m.Plain == plain:
			rank = 1
		}
		if rank > bestRank {
			best, bestRank = m, rank
		}
	}
	return best, bestRank == 4
}

var (
	dated   = lazy.Regexp(`-?20\d\d-?[01]\d-?[0-3]\d(-v\d+)?$`)
	regions = lazy.Regexp(`^(?:(?:us|eu|apac|global|jp|au)-)?anthropic-`)
)

// PlainName strips what providers add to a model's name: the maker, a date, a
// region, a variant, and dots for dashes.
func PlainName(id string) string {
	s := strings.ToLower(lastPart(id))
	if i := strings.IndexAny(s, ":["); i > 0 {
		s = s[:i]
	}
	s = strings.NewReplacer(".", "-", "@", "-").Replace(s)
	s = regions().ReplaceAllString(s, "")
	s = dated().ReplaceAllString(s, "")
	return strings.TrimSuffix(s, "-latest")
}

func lastPart(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }
