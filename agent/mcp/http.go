package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/coppice-dev/coppice/provider"
)

// httpTransport speaks streamable HTTP.
func httpTransport(s Server, r *recorder) (sdk.Transport, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("its url is neither http nor https")
	}
	// Errors name the address, so its secrets are inserted only when the
	// request is sent.
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	return &sdk.StreamableClientTransport{
		Endpoint:     shown.String(),
		MaxEventSize: maxLine,
		HTTPClient: &http.Client{
			Transport: &requests{query: u.RawQuery, user: u.User, headers: s.Headers, record: r},
			// Headers and arguments go where the user said.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// requests are the requests to one server.
type requests struct {
	query   string
	user    *url.Userinfo
	headers map[string]provider.Secret
	record  *recorder
}

// RoundTrip makes one request.
func (q *requests) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.RawQuery = q.query
	if q.user != nil {
		password, _ := q.user.Password()
		r.SetBasicAuth(q.user.Username(), password)
	}
	for name, value := range q.headers {
		r.Header.Set(name, string(value))
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s, which is not followed", res.Status)
	}
	res.Body = q.record.tee(res.Body)
	return res, nil
}
