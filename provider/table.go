package provider

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/coppice-dev/coppice/message"
)

// tableRow is a model of the catalogue.
type tableRow struct {
	provider, id      string
	window, maxOutput int64
	images, reasoning bool
	price             *message.Price
}

// place is a provider of the catalogue.
type place struct {
	api, baseURL, keyEnv string
	standard             string // the model that the vendor is usually asked for
}

// table is the catalogue by the names under which a model may be asked for.
type table struct {
	places map[string]place
	rows   []*tableRow // by provider, newest first
	exact  map[string]*tableRow
	plain  map[string]*tableRow // provider and plain name
	full   map[string]*tableRow // id
	any    map[string]*tableRow // id without what comes before its last slash
	loose  map[string]*tableRow // plain name
}

// readTable decodes the embedded catalogue. It takes some milliseconds, so
// the Catalog does it only when a model is asked for.
func readTable() *table {
	t := &table{places: map[string]place{}, exact: map[string]*tableRow{}, plain: map[string]*tableRow{},
		full: map[string]*tableRow{}, any: map[string]*tableRow{}, loose: map[string]*tableRow{}}
	providers := embedded.GetAll()
	slices.SortStableFunc(providers, func(a, b catwalk.Provider) int {
		return cmp.Or(cmp.Compare(rank(string(a.ID)), rank(string(b.ID))), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range providers {
		name := string(p.ID)
		t.places[name] = place{api: apiOf(p.Type), baseURL: literal(p.APIEndpoint),
			keyEnv: variable(p.APIKey), standard: p.DefaultLargeModelID}
		for _, m := range p.Models {
			t.add(&tableRow{provider: name, id: m.ID, window: m.ContextWindow, maxOutput: m.DefaultMaxTokens,
				images: m.SupportsImages, reasoning: m.CanReason, price: priceOf(m)})
		}
	}
	return t
}

func (t *table) add(r *tableRow) {
	if r.maxOutput >= r.window {
		r.maxOutput = 0 // a window repeated is not an output limit
	}
	t.rows = append(t.rows, r)
	keep(t.exact, r.provider+"/"+r.id, r)
	keep(t.plain, r.provider+"/"+plainName(r.id), r)
	keep(t.full, strings.ToLower(r.id), r)
	keep(t.any, strings.ToLower(lastPart(r.id)), r)
	keep(t.loose, plainName(r.id), r)
}

// keep holds the first row of a name: the model's own vendor, the newest.
func keep(m map[string]*tableRow, name string, r *tableRow) {
	if _, ok := m[name]; !ok {
		m[name] = r
	}
}

// find looks for a model: as named, then under its vendor without date and
// notation, then anywhere. own reports whether the vendor itself has it, so
// that its price holds.
func (t *table) find(provider, id string) (r *tableRow, own bool) {
	if r := t.exact[provider+"/"+id]; r != nil {
		return r, true
	}
	if r := t.plain[provider+"/"+plainName(id)]; r != nil {
		return r, true
	}
	for _, r := range []*tableRow{t.full[strings.ToLower(id)], t.any[strings.ToLower(lastPart(id))], t.loose[plainName(id)]} {
		if r != nil {
			return r, false
		}
	}
	return nil, false
}

var (
	dated   = lazy(`-?20\d\d-?[01]\d-?[0-3]\d(-v\d+)?$`)
	regions = lazy(`^(?:(?:us|eu|apac|global|jp|au)-)?anthropic-`)
)

// plainName strips what vendors add to a model's name: the maker, a date, a
// region, a variant, and dots for dashes.
func plainName(id string) string {
	s := strings.ToLower(lastPart(id))
	if i := strings.IndexAny(s, ":["); i > 0 {
		s = s[:i]
	}
	s = strings.NewReplacer(".", "-", "@", "-").Replace(s)
	s = replace(regions(), s)
	s = replace(dated(), s)
	return strings.TrimSuffix(s, "-latest")
}

func replace(re *regexp.Regexp, s string) string { return re.ReplaceAllString(s, "") }

func lastPart(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// makers come first where a model is offered by many.
var makers = []string{"anthropic", "openai", "gemini", "xai", "deepseek", "zai", "moonshot", "minimax", "openrouter", "vercel"}

func rank(provider string) int {
	if i := slices.Index(makers, provider); i >= 0 {
		return i
	}
	return len(makers)
}

func apiOf(t catwalk.Type) string {
	switch t {
	case catwalk.TypeAnthropic, catwalk.TypeBedrock:
		return apiAnthropic
	case catwalk.TypeGoogle, catwalk.TypeVertexAI:
		return apiGemini
	}
	return apiChat
}

// literal drops what the catalogue leaves to the environment.
func literal(s string) string {
	if strings.HasPrefix(s, "$") {
		return ""
	}
	return s
}

func variable(s string) string {
	name, ok := strings.CutPrefix(s, "$")
	if !ok {
		return ""
	}
	return name
}

// priceOf reads the prices, whose names mislead: InCached is what writing the
// cache costs, OutCached what reading it does. Some entries have the price of
// reading in the first; it shows, for writing is never cheaper than plain
// input and reading never dearer. A price that is not there is that of plain
// input. All zero means not known.
func priceOf(m catwalk.Model) *message.Price {
	if m.CostPer1MIn == 0 && m.CostPer1MOut == 0 {
		return nil
	}
	p := message.Price{Input: m.CostPer1MIn, Output: m.CostPer1MOut, CacheRead: m.CostPer1MIn, CacheWrite: m.CostPer1MIn}
	for _, c := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		switch {
		case c == 0 || c > 3*p.Input:
			// not given, or the price of something else
		case c >= p.Input:
			p.CacheWrite = c
		default:
			p.CacheRead = c
		}
	}
	return &p
}
