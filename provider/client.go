package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire"
)

const (
	// defaultIdleTimeout is how long a stream may be silent.
	defaultIdleTimeout = time.Minute
	// firstByte times the idle timeout is how long the first byte may take: a
	// local server processes a long prompt before it sends anything.
	firstByte = 10

	maxRefusal = 64 << 10 // bytes of a refusal that are read

	anthropicVersion = "2023-06-01"
)

// Client makes calls to one server in one dialect. Set the exported fields
// before the first call; after that it is safe for concurrent use. Every
// failure is a *message.Fault; the one of a cancelled call wraps the context's
// error. The zero value is not usable: call New.
type Client struct {
	// Retry says what happens after a temporary failure.
	Retry Retry
	// IdleTimeout is how long a stream may be silent before the call counts as
	// failed; its whole duration is not limited. 0: one minute; negative:
	// none. The first byte may take ten times as long.
	IdleTimeout time.Duration
	// Patterns are the user's own error texts.
	Patterns []Pattern

	cfg     ProviderConfig
	dialect wire.Dialect
	http    *http.Client
}

// New makes a client. cfg.APIKey is used as it is; "" sends none. An empty
// cfg.BaseURL means the dialect's own vendor. A nil httpClient means a plain one;
// one with a total timeout would cut off long answers.
func New(cfg ProviderConfig, dialect wire.Dialect, httpClient *http.Client) *Client {
	if httpClient == nil {
		httpClient = &http.Client{}
	}
	// Text and keys go where the user said and nowhere else.
	here := *httpClient
	here.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	httpClient = &here
	cfg.BaseURL = strings.TrimRight(cmp.Or(cfg.BaseURL, homes()[dialect.Name()]), "/")
	return &Client{cfg: cfg, dialect: dialect, http: httpClient}
}

// homes are the servers of the dialects' vendors.
var homes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		apiAnthropic: vendors()["anthropic"].baseURL,
		apiChat:      vendors()["openai"].baseURL,
		apiResponses: vendors()["openai"].baseURL,
		apiGemini:    vendors()["gemini"].baseURL,
	}
})

// Stream makes a call and yields the answer as it comes; the last event has
// the whole message. A temporary failure is retried, but only while nothing has
// been yielded: what was shown cannot be taken back.
func (c *Client) Stream(ctx context.Context, m message.Model, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error] {
	return func(yield func(message.Event, error) bool) {
		shown, stopped := false, false
		f := c.call(ctx, m, req, opts, func(ev message.Event) bool {
			shown = shown || ev.Retry == nil
			stopped = !yield(ev, nil)
			return !stopped
		}, func() bool { return !shown })
		if f != nil && !stopped {
			yield(message.Event{}, f)
		}
	}
}

// Complete makes a call and returns the whole answer. An answer that was cut off
// in transit is requested again.
func (c *Client) Complete(ctx context.Context, m message.Model, req timeline.Request, opts message.CallOptions) (*message.Message, error) {
	var answer *message.Message
	f := c.call(ctx, m, req, opts, func(ev message.Event) bool {
		if ev.Message != nil {
			answer = ev.Message
		}
		return true
	}, func() bool { return true })
	if f != nil {
		return nil, f
	}
	return answer, nil
}

// call renders once and tries until there is an answer, the caller has gone, or
// the failure is final.
func (c *Client) call(ctx context.Context, m message.Model, req timeline.Request, opts message.CallOptions, emit func(message.Event) bool, again func() bool) *message.Fault {
	body, err := c.dialect.Render(req, m, opts)
	if err != nil {
		return &message.Fault{Class: message.ClassBadRequest, Err: fmt.Errorf("render request: %w", err)}
	}
	pause := c.Retry.Pauses()
	for {
		f := c.once(ctx, m, body, estimate(body, req), emit)
		if f == nil || !retryable(f) || !again() || ctx.Err() != nil {
			return f
		}
		again, err := pause(ctx, f, func(try int, wait time.Duration) bool {
			if c.Retry.Notify != nil {
				c.Retry.Notify(try, wait, f)
			}
			return emit(message.Event{Retry: &message.Retry{Try: try, Wait: wait, Fault: f}})
		})
		switch {
		case again:
		case err == nil:
			return nil
		case errors.Is(err, f):
			return f
		default:
			return cancelled(err)
		}
	}
}

// estimate is a rough size of the request in tokens, for refusals that give no
// reason. Images are left out: their bytes are not text.
func estimate(body []byte, req timeline.Request) int64 {
	n := len(body)
	for _, m := range req.Messages {
		for _, b := range m.Content {
			if img, ok := b.(message.Image); ok {
				n -= len(img.Data)
			}
		}
	}
	return int64(max(n, 0) / 4)
}

// once makes one HTTP request and passes its events on.
func (c *Client) once(ctx context.Context, m message.Model, body []byte, size int64, emit func(message.Event) bool) *message.Fault {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := newWatchdog(cmp.Or(c.IdleTimeout, defaultIdleTimeout), cancel)
	defer dog.stop()

	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, join(c.cfg.BaseURL, c.dialect.Path(m)), bytes.NewReader(body))
	if err != nil {
		return c.mask(&message.Fault{Class: message.ClassBadRequest, Err: fmt.Errorf("request: %w", err)})
	}
	c.setHeaders(hr.Header)
	resp, err := c.http.Do(hr)
	if err != nil {
		return c.broken(ctx, 0, err)
	}
	defer resp.Body.Close()
	stream := &bounded{r: dog.watch(resp.Body), left: maxAnswer}
	refusal := Response{Status: resp.StatusCode, Header: resp.Header, Provider: m.Provider,
		Estimate: size, Window: m.Window, Patterns: c.Patterns}
	if resp.StatusCode/100 != 2 {
		refusal.Body, err = io.ReadAll(io.LimitReader(stream, maxRefusal))
		if err != nil && len(refusal.Body) == 0 && ctx.Err() != nil {
			return c.broken(ctx, resp.StatusCode, err)
		}
		return c.judge(refusal)
	}
	return c.decode(ctx, m, stream, refusal, emit)
}

// decode passes the events of an answer on and completes its message.
func (c *Client) decode(ctx context.Context, m message.Model, r io.Reader, refusal Response, emit func(message.Event) bool) *message.Fault {
	for ev, err := range c.dialect.Decode(r) {
		if err != nil {
			if f, ok := message.AsFault(err); ok && ctx.Err() == nil {
				return c.streamFault(f, refusal)
			}
			return c.broken(ctx, 0, err)
		}
		if ev.Message == nil {
			if !emit(ev) {
				return nil
			}
			continue
		}
		c.complete(ev.Message, m)
		if f := Full(m, ev.Message, 0); f != nil {
			return f
		}
		emit(ev)
		return nil
	}
	return c.broken(ctx, 0, io.ErrUnexpectedEOF)
}

// streamFault judges what a stream says about a failure. An error of the vendor is
// judged by its words alone, in spite of the status; words that say nothing
// known, but are not an answer, may pass.
func (c *Client) streamFault(f *message.Fault, r Response) *message.Fault {
	switch {
	case f.Message == "":
		return c.mask(f)
	case f.Class == message.ClassTransient && isPage(f.Message):
		return c.mask(pageFault(r.Status, f.Message))
	}
	r.Body = []byte(f.Message)
	if f.Class == message.ClassUnknown {
		r.Status = 0
	}
	judged := c.judge(r)
	if judged.Class == message.ClassUnknown {
		judged.Class = f.Class
	}
	return judged
}

// complete adds what the dialect cannot know.
func (c *Client) complete(answer *message.Message, m message.Model) {
	answer.Provider, answer.Model = m.Provider, m.ID
	if answer.Usage == nil {
		return
	}
	if cost := m.Cost(*answer.Usage); cost != nil {
		answer.Usage.Cost = *cost
	}
}

func (c *Client) judge(r Response) *message.Fault {
	f := Classify(r)
	return c.mask(&f)
}

// broken makes a fault of a connection that failed: a temporary one, unless the
// caller cancelled.
func (c *Client) broken(ctx context.Context, status int, err error) *message.Fault {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errIdle):
		err = cause
	case cause != nil:
		return cancelled(cause)
	case errors.Is(err, wire.ErrEventTooLong), errors.Is(err, errTooLong):
		return c.mask(&message.Fault{Class: message.ClassUnknown, Status: status, Err: err})
	}
	return c.mask(&message.Fault{Class: message.ClassTransient, Status: status, Err: err})
}

func cancelled(err error) *message.Fault {
	return &message.Fault{Class: message.ClassUnknown, Message: "cancelled", Err: err}
}

// setHeaders authenticates in the dialect's way. The user's headers win.
func (c *Client) setHeaders(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream, application/json")
	h.Set("User-Agent", "coppice")
	key := string(c.cfg.APIKey)
	switch c.dialect.Name() {
	case apiAnthropic:
		h.Set("Anthropic-Version", anthropicVersion)
		if key != "" {
			h.Set("X-Api-Key", key)
		}
	case apiGemini:
		if key != "" {
			h.Set("X-Goog-Api-Key", key)
		}
	default:
		if key != "" {
			h.Set("Authorization", "Bearer "+key)
		}
	}
	for name, value := range c.cfg.Headers {
		h.Set(name, string(value))
	}
}

// mask keeps keys out of what may be logged. Servers like to quote them.
func (c *Client) mask(f *message.Fault) *message.Fault {
	f.Message = c.maskText(f.Message)
	if f.Err != nil {
		if text := f.Err.Error(); c.maskText(text) != text {
			f.Err = masked{c.maskText(text), f.Err}
		}
	}
	return f
}

func (c *Client) maskText(s string) string {
	for _, v := range c.cfg.secrets() {
		if len(v) >= 8 { // shorter ones are in ordinary words
			s = strings.ReplaceAll(s, v, "[key]")
		}
	}
	return secret.Default()(s)
}

var secretHeader = lazy.Regexp(`(?i)auth|key|token|secret|cookie`)

// masked is an error whose text had a secret in it.
type masked struct {
	text string
	err  error
}

func (m masked) Error() string { return m.text }

// Is and As see the cause without showing its text.
func (m masked) Is(target error) bool { return errors.Is(m.err, target) }

// As finds a typed cause.
func (m masked) As(target any) bool { return errors.As(m.err, target) }

// join appends a path to a base URL. Users write base URLs with and without the
// version; if both have it, it is kept once.
func join(base, path string) string {
	for _, version := range []string{"/v1", "/v1beta"} {
		if strings.HasSuffix(base, version) && strings.HasPrefix(path, version+"/") {
			return base + strings.TrimPrefix(path, version)
		}
	}
	return base + path
}
