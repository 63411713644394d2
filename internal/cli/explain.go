package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

func (a *app) explainCmd() *cobra.Command {
	var r provider.Response
	var asJSON bool
	cmd := command(groupLook, "explain-error", "Say what a provider's error means",
		`Read an error from standard input, as a text or as a whole response body, and say
what kind it is, which numbers it names, and what to do about it.`,
		"  pbpaste | coppice explain-error\n  coppice explain-error --status 400 --provider cerebras < body.json", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			return a.explainError(cmd.Context(), r, asJSON)
		})
	cmd.Flags().IntVar(&r.Status, "status", 0, "HTTP status of the answer, if you know it")
	cmd.Flags().StringVar(&r.Provider, "provider", "", "name of the provider, if you know it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// faultJSON is the shape of `explain-error --json` (docs/cli.md).
type faultJSON struct {
	Class        message.Class  `json:"class"`
	RetryAfterMs *int64         `json:"retryAfterMs,omitzero"`
	Limit        int64          `json:"limit,omitzero"`
	Used         int64          `json:"used,omitzero"`
	Requested    int64          `json:"requested,omitzero"`
	Unit         message.Unit   `json:"unit,omitzero"`
	Where        string         `json:"where,omitzero"`
	Action       message.Remedy `json:"action"`
}

// maxErrorBytes is more than any provider writes about an error.
const maxErrorBytes = 8 << 20

func (a *app) explainError(ctx context.Context, r provider.Response, asJSON bool) error {
	if r.Status != 0 && (r.Status < 100 || r.Status > 599) {
		return usagef("--status %d: not an HTTP status", r.Status)
	}
	var err error
	if r.Body, err = readInput(ctx, a.In); err != nil {
		return explain("read standard input", err)
	}
	r.Patterns = a.settings().models.Errors.Patterns
	f := provider.Classify(r)
	if asJSON {
		l := f.Limit
		out := faultJSON{Class: f.Class, Limit: l.Max, Used: l.Used, Requested: f.Requested, Unit: l.Unit, Where: l.Where, Action: f.Remedies()[0]}
		if f.RetryAfter > 0 {
			ms := f.RetryAfter.Milliseconds()
			out.RetryAfterMs = &ms
		}
		a.json(out)
		return nil
	}
	a.printFault(f)
	return nil
}

// readInput reads standard input until it ends or the run is interrupted.
func readInput(ctx context.Context, in io.Reader) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, maxErrorBytes))
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// meaning describes each class in words.
var meaning = map[message.Class]string{
	message.ClassOverflow:       "the request is larger than the context window",
	message.ClassOverflowOutput: "the input fits, but not together with the requested output",
	message.ClassBytes:          "the request has more bytes than the server accepts",
	message.ClassRateLimit:      "too much was sent in a short time",
	message.ClassQuota:          "the account has no credit or quota left",
	message.ClassAuth:           "the key was refused",
	message.ClassBadRequest:     "the request has a form that the provider does not accept",
	message.ClassPairing:        "tool calls and results do not match",
	message.ClassThinking:       "thinking blocks were changed or do not belong to this model",
	message.ClassTransient:      "the server or the connection failed temporarily",
	message.ClassUnknown:        "the text does not match any known error",
}

// advice describes each remedy in words.
var advice = map[message.Remedy]string{
	"compact":          "make the conversation smaller: coppice compact SESSION",
	"reduce-output":    "ask for less output",
	"drop-media":       "leave out images: coppice prune SESSION --media",
	"shrink-media":     "make the image smaller, or leave it out",
	"shorten-field":    "shorten that field",
	"fewer-items":      "send fewer of them",
	"wait":             "wait, then send the same request again",
	"stop":             "look at the provider's billing page; sending again does not help",
	"authenticate":     "check the key: coppice doctor shows which ones are found",
	"repair-request":   "change the request; coppice check SESSION shows what is wrong in a session",
	"repair-pairs":     "send each call with its result; coppice check SESSION shows which have none",
	"drop-thinking":    "send the request without the old thinking blocks",
	"restore-thinking": "send the thinking back unchanged",
	"retry":            "send the same request again",
	"none":             "there is no advice for this",
}

// units names in words what a limit counts.
var units = map[message.Unit]string{
	"context-tokens": "tokens of the context",
	"output-tokens":  "tokens of output",
	"rate-tokens":    "tokens per time",
	"bytes":          "bytes",
	"characters":     "characters",
	"items":          "items",
	"pixels":         "pixels",
	"money":          "money",
	"unknown":        "of an unknown unit",
}

func (a *app) printFault(f message.Fault) {
	rows := [][]string{{"class", fmt.Sprintf("%s: %s", f.Class, meaning[f.Class])}}
	for _, n := range []struct {
		name  string
		value int64
	}{{"limit", f.Limit.Max}, {"used", f.Limit.Used}, {"requested", f.Requested}} {
		if n.value > 0 {
			rows = append(rows, []string{n.name, thousands(n.value) + " " + units[f.Limit.Unit]})
		}
	}
	if f.Limit.Where != "" {
		rows = append(rows, []string{"of", f.Limit.Where})
	}
	if f.RetryAfter > 0 {
		rows = append(rows, []string{"wait", f.RetryAfter.String()})
	}
	a.table([]column{{color: dim}, {}}, append(rows, []string{"to do", advice[f.Remedies()[0]]}))
}
