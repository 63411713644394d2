package summarize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Defaults of a Remote.
const (
	remoteTimeout  = 5 * time.Minute
	remoteMaxBytes = 4 << 20
)

// Remote is an HTTP endpoint that writes summaries: POST of the JSON object
// {systemPrompt, prompt, maxTokens}, answered by {summary, shortSummary?}
// (docs/compaction.md, Summarize). maxTokens is left out if it is not known.
type Remote struct {
	URL      string        // https, or http to this machine
	Token    string        // sent as a bearer token; "": none
	Client   *http.Client  // nil: http.DefaultClient. Redirects are not followed.
	Timeout  time.Duration // for one request; 0: remoteTimeout
	MaxBytes int64         // answer size; 0: remoteMaxBytes
}

// Validate refuses an address that must not get a conversation: one that is not
// a URL, or plain HTTP to another machine.
func (r *Remote) Validate() error {
	u, err := url.Parse(r.URL)
	switch {
	case err != nil:
		return fmt.Errorf("remote endpoint: %w", err)
	case u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("remote endpoint: not an http or https address")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return errors.New("remote endpoint: plain http to another machine; use https")
	}
	return nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// ask sends one query.
func (r *Remote) ask(ctx context.Context, q query) (answer, error) {
	if err := r.Validate(); err != nil {
		return answer{}, err
	}
	timeout := r.Timeout
	if timeout <= 0 {
		timeout = remoteTimeout
	}
	limited, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	body, err := r.post(limited, q)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			err = context.Cause(limited)
		}
		return answer{}, fmt.Errorf("remote endpoint: %w", err)
	}
	if !rawjson.Valid(body) || rawjson.Kind(rawjson.Get(body, "summary")) != '"' {
		return answer{}, errors.New("remote endpoint: the answer has no summary")
	}
	text, short := cleanAnswer(rawjson.String(rawjson.Get(body, "summary")))
	if s := clip(rawjson.String(rawjson.Get(body, "shortSummary")), 600); s != "" {
		short = s
	}
	return answer{text: text, short: short}, nil
}

func (r *Remote) post(ctx context.Context, q query) ([]byte, error) {
	body := rawjson.Set([]byte("{}"), "systemPrompt", rawjson.Quote(q.system))
	body = rawjson.Set(body, "prompt", rawjson.Quote(q.prompt))
	if q.maxOutput > 0 {
		body = rawjson.Set(body, "maxTokens", fmt.Append(nil, q.maxOutput))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	res, err := r.client().Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, fmt.Errorf("answered %s", res.Status)
	}
	limit := r.MaxBytes
	if limit <= 0 {
		limit = remoteMaxBytes
	}
	got, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(got)) > limit {
		return nil, fmt.Errorf("the answer is larger than %d bytes", limit)
	}
	return got, nil
}

// client follows no redirects: the conversation and the token go where the
// user said and nowhere else.
func (r *Remote) client() *http.Client {
	c := http.Client{}
	if r.Client != nil {
		c = *r.Client
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}
