package settings

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A checker is a value that has to have a certain form. The error completes
// the sentence "key …".
type checker interface{ check() error }

// A worded value is one of a few words.
type worded interface{ words() []string }

// A bounded value is a number with a greatest value.
type bounded interface{ greatest() float64 }

// Percent is a number from 0 to 100.
type Percent float64

func (Percent) greatest() float64 { return 100 }

// Share is a number from 0 to 1.
type Share float64

func (Share) greatest() float64 { return 1 }

// Secret is text that is never shown: printed, formatted or marshalled it is
// a row of stars. Convert it to string to use it.
type Secret string

// String returns stars, or "" where there is no secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "********"
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText is String, for JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// URL is an absolute http or https address. A password in it is not shown.
type URL string

// String returns the address with a password replaced.
func (u URL) String() string {
	p, err := url.Parse(string(u))
	if err != nil {
		return "********"
	}
	return p.Redacted()
}

// MarshalText is String, for JSON.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

func (u URL) check() error {
	if u == "" {
		return nil
	}
	p, err := url.Parse(string(u))
	if err != nil || p.Host == "" || (p.Scheme != "http" && p.Scheme != "https") {
		return errors.New("must be an address that begins with http:// or https://")
	}
	return nil
}

// ModelName is "provider/id", or "" for none.
type ModelName string

func (m ModelName) check() error {
	if provider, id := m.Split(); m != "" && (provider == "" || id == "") {
		return errors.New(`must have the form "provider/model"`)
	}
	return nil
}

// Pattern is a regular expression in Go's syntax.
type Pattern string

func (p Pattern) check() error {
	if p == "" {
		return errors.New("must not be empty")
	}
	if _, err := regexp.Compile(string(p)); err != nil {
		return fmt.Errorf("must be a regular expression: %w", err)
	}
	return nil
}

// Sync says when an append reaches the disk (spec/session-log.md).
type Sync string

// The kinds of Sync.
const (
	SyncAlways   Sync = "always"
	SyncInterval Sync = "interval"
	SyncOff      Sync = "off"
)

func (Sync) words() []string { return []string{"always", "interval", "off"} }

// RequestForm says how a summary is asked for (spec/compaction.md).
type RequestForm string

// The forms of a request.
const (
	RequestSerialized   RequestForm = "serialized"
	RequestSharedPrefix RequestForm = "shared-prefix"
)

func (RequestForm) words() []string { return []string{"serialized", "shared-prefix"} }

// ProviderType is the dialect that a provider speaks.
type ProviderType string

// The dialects.
const (
	ProviderAnthropic ProviderType = "anthropic"
	ProviderOpenAI    ProviderType = "openai"
	ProviderResponses ProviderType = "openai-responses"
	ProviderGemini    ProviderType = "gemini"
)

func (ProviderType) words() []string {
	return []string{"anthropic", "openai", "openai-responses", "gemini"}
}

// ErrorClass is a class of provider errors (spec/provider-errors.md).
type ErrorClass string

func (ErrorClass) words() []string {
	return []string{"overflow", "overflow-output", "bytes", "rate-limit", "quota", "auth",
		"bad-request", "pairing", "thinking", "transient", "unknown"}
}

// wordOf reports whether text is one of the words of a type, where it has words.
func wordOf(v any, text string) (words []string, ok bool) {
	w, isWorded := v.(worded)
	if !isWorded {
		return nil, true
	}
	return w.words(), slices.Contains(w.words(), text)
}

// checkValue applies the rules of v's type.
func checkValue(v any) error {
	if words, ok := wordOf(v, fmt.Sprint(v)); !ok {
		return fmt.Errorf("must be one of %s, not %q", strings.Join(words, ", "), v)
	}
	if c, ok := v.(checker); ok {
		return c.check()
	}
	return nil
}
