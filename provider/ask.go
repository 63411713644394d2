package provider

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// How long to trust a server's answer about a model: a vendor's model rarely
// changes, one on the user's own machine changes each time it is loaded.
const (
	vendorHolds = 24 * time.Hour
	ownHolds    = 10 * time.Minute
)

// maxListing is how much of a list of models is read, in bytes.
const maxListing = 4 << 20

// AskWindow asks the server how large the model's window is, unless it answered
// recently, and stores the answer in the catalogue (docs/limits.md, Windows). A
// server that gives no window changes nothing. ctx bounds the few small requests.
//
// If a setting names a larger window than the server, the setting stays in force,
// and AskWindow returns the server's number, once for each setting. Otherwise it
// returns 0.
func (b *Bound) AskWindow(ctx context.Context) (below int64) {
	if b.Catalog == nil {
		return 0
	}
	base, err := url.Parse(b.Client.cfg.BaseURL)
	if err != nil {
		return 0
	}
	ask, holds := vendorServer(base.Hostname()), vendorHolds
	if ask == nil {
		ask, holds = ownServer(canonical(b.Model.Provider)), ownHolds
	}
	limits := b.Catalog.Limits
	if !limits.asked(b.Model, holds) {
		limits.addReported(b.Model, ask(asker{ctx, b.Client, b.Model.ID}))
	}
	m := b.Catalog.Lookup(b.Model.Provider, b.Model.ID)
	if m.WindowSource == WindowSetting {
		below = limits.below(b.Model, m.Window)
	}
	b.Model.Window, b.Model.WindowSource = m.Window, m.WindowSource
	b.Model.MaxInput, b.Model.MaxOutput = m.MaxInput, m.MaxOutput
	return below
}

// claims are what a server says about a model, in tokens. 0: it does not say.
type claims struct {
	window, input, output int64
	from                  string // path and field
}

// asker asks one server about one model.
type asker struct {
	ctx    context.Context
	client *Client
	id     string
}

// base is the address that the dialect's paths are added to; root the server's.
func (a asker) base() string { return a.client.cfg.BaseURL }

func (a asker) root() string {
	root := a.base()
	for _, end := range []string{"/v1", "/openai", "/api"} {
		root = strings.TrimSuffix(root, end)
	}
	return root
}

// get fetches a JSON object; nil if it fails.
func (a asker) get(url string) []byte { return a.do(http.MethodGet, url, nil) }

// post sends a JSON object and reads one back.
func (a asker) post(url string, body []byte) []byte { return a.do(http.MethodPost, url, body) }

func (a asker) do(method, url string, body []byte) []byte {
	req, err := http.NewRequestWithContext(a.ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	a.client.setHeaders(req.Header)
	resp, err := a.client.http.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxListing))
	if err != nil || resp.StatusCode != http.StatusOK || !rawjson.Valid(answer) || rawjson.Kind(answer) != '{' {
		return nil
	}
	return answer
}

// row finds the model in a list of models.
func (a asker) row(list []byte) []byte {
	for m := range rawjson.Elements(rawjson.Get(list, "data")) {
		if rawjson.String(rawjson.Get(m, "id")) == a.id {
			return m
		}
	}
	return nil
}

// tokensAt reads a number at a path of names; 0 if it is not there.
func tokensAt(obj []byte, path ...string) int64 {
	for _, name := range path {
		obj = rawjson.Get(obj, name)
	}
	return rawjson.Int(obj)
}

// addReported stores what a server said about a model.
func (l *Limits) addReported(m message.Model, c claims) {
	for _, s := range []Lesson{
		{Unit: kinds.UnitContext, Number: c.window},
		{Unit: kinds.UnitContext, Where: whereInput, Number: c.input},
		{Unit: kinds.UnitOutput, Number: c.output},
	} {
		if s.Number <= 0 || s.Unit == kinds.UnitContext && s.Number < minLearned {
			continue
		}
		s.Asked, s.Text = true, c.from
		l.keep(keyOf(m), s)
	}
}

// whereInput marks a limit of the input alone.
const whereInput = "input"

// asked reports whether the server has recently answered about a model.
func (l *Limits) asked(m message.Model, holds time.Duration) bool {
	for _, s := range l.Of(m) {
		if s.Asked && l.now().Sub(s.When) < holds {
			return true
		}
	}
	return false
}

// reported is what the server said about a model when it was asked.
func (l *Limits) reported(m message.Model) (c claims) {
	for _, s := range l.Of(m) {
		switch {
		case !s.Asked:
		case s.Unit == kinds.UnitOutput:
			c.output = s.Number
		case s.Where == whereInput:
			c.input = s.Number
		default:
			c.window = s.Number
		}
	}
	return c
}
