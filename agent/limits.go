package agent

import (
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/message"
)

// Limits bound one run (docs/settings.md, run.*). 0: no limit. The call that
// reaches a limit is the last one: its answer stays, and its tool calls run.
type Limits struct {
	MaxCalls  int64   `json:"maxCalls"`  // model calls, including retries and calls for summaries
	MaxTokens int64   `json:"maxTokens"` // read and written, including cached ones
	MaxUSD    float64 `json:"maxUSD"`    // at the known prices of the models
}

// Validate returns an error that names the fields with wrong values.
func (l Limits) Validate() error {
	return errors.Join(valid.NotNegative("maxCalls", &l.MaxCalls), valid.NotNegative("maxTokens", &l.MaxTokens), valid.NotNegative("maxUSD", &l.MaxUSD))
}

// Used is what a run has used so far.
type Used struct {
	Calls     int64 `json:"calls"`
	Usage           // of all calls
	Estimated bool  `json:"estimated,omitzero"` // a server did not say how many tokens a call had, so they were estimated
	Unpriced  bool  `json:"unpriced,omitzero"`  // a call has no known price, so USD is too low
}

// Tokens returns all tokens, read and written.
func (u Used) Tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// LimitError says that a run was stopped because it reached one of its limits.
type LimitError struct {
	Key  string // of the setting: run.maxCalls, run.maxTokens or run.maxUSD
	Max  float64
	Used Used
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("stopped at a limit: %s is %v, and the run has used %d calls, %d tokens, $%.4f", e.Key, e.Max, e.Used.Calls, e.Used.Tokens(), e.Used.USD)
}

// reached returns the first limit that was reached, or nil.
func (l Limits) reached(u Used) error {
	for _, b := range []struct {
		key       string
		max, used float64
	}{
		{"run.maxCalls", float64(l.MaxCalls), float64(u.Calls)},
		{"run.maxTokens", float64(l.MaxTokens), float64(u.Tokens())},
		{"run.maxUSD", l.MaxUSD, u.USD},
	} {
		if b.max > 0 && b.used >= b.max {
			return &LimitError{Key: b.key, Max: b.max, Used: u}
		}
	}
	return nil
}

// add counts calls with their total cost. priced says that the price of the
// model is known.
func (u *Used) add(calls int64, usage *message.Usage, priced bool) {
	u.Calls += calls
	if usage == nil {
		return
	}
	u.Input += usage.Input
	u.Output += usage.Output
	u.CacheRead += usage.CacheRead
	u.CacheWrite += usage.CacheWrite
	u.USD += usage.Cost.Total
	u.Unpriced = u.Unpriced || !priced && usage.Cost.Total == 0
}
