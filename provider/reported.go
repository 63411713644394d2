package provider

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// maxListing is how much of a list of models is read, in bytes.
const maxListing = 4 << 20

// AskWindow asks a server of the user's own, which speaks OpenAI's chat or
// responses, how large its model's window is, unless a setting says it, and
// tells the catalogue. Servers that do not say it change nothing. It makes at
// most two small requests; ctx bounds them.
func (b *Bound) AskWindow(ctx context.Context) {
	if b.Catalog == nil || !b.own || b.Model.WindowSource == WindowSetting || b.Model.API != apiChat && b.Model.API != apiResponses {
		return
	}
	base := b.Client.cfg.BaseURL
	window := listedWindow(b.Client.get(ctx, base+"/models"), b.Model.ID)
	if window == 0 {
		// llama.cpp says at its root what it was started with.
		props := b.Client.get(ctx, strings.TrimSuffix(base, "/v1")+"/props")
		window = rawjson.Int(rawjson.Get(rawjson.Get(props, "default_generation_settings"), "n_ctx"))
	}
	if window < minLearned {
		return
	}
	b.Catalog.Report(b.Model.Provider, b.Model.ID, window)
	m := b.Catalog.Lookup(b.Model.Provider, b.Model.ID)
	b.Model.Window, b.Model.WindowSource = m.Window, m.WindowSource
}

// windowNames are the members in which servers give the window of a model in
// their list: what is loaded before what could be (LM Studio, vLLM, OpenRouter
// and its likes).
var windowNames = []string{"loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length"}

// listedWindow finds the window of a model in a list of models, or 0.
func listedWindow(list []byte, id string) int64 {
	for m := range rawjson.Elements(rawjson.Get(list, "data")) {
		if rawjson.String(rawjson.Get(m, "id")) != id {
			continue
		}
		for _, name := range windowNames {
			if n := rawjson.Int(rawjson.Get(m, name)); n > 0 {
				return n
			}
		}
		return rawjson.Int(rawjson.Get(rawjson.Get(m, "meta"), "n_ctx"))
	}
	return 0
}

// get fetches a JSON object; nil where there is none.
func (c *Client) get(ctx context.Context, url string) []byte {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil
	}
	c.setHeaders(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxListing))
	if err != nil || resp.StatusCode != http.StatusOK || !rawjson.Valid(body) || rawjson.Kind(body) != '{' {
		return nil
	}
	return body
}
