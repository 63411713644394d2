package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// exitCode ends a run without another word.
type exitCode int

// Exit codes (spec/cli.md).
const (
	codeDone        exitCode = 0
	codeFailed      exitCode = 1
	codeUsage       exitCode = 2
	codeNothing     exitCode = 3
	codeProblems    exitCode = 4
	codeInterrupted exitCode = 130
)

func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// failure is an error as the user reads it: "coppice: what: why", and where
// there is something to do about it, "try: …".
type failure struct {
	Code exitCode `json:"-"`
	What string   `json:"what"`
	Why  string   `json:"why"`
	Try  string   `json:"try,omitempty"`
	File string   `json:"file,omitempty"`
	Line int      `json:"line,omitzero"`
}

func (f *failure) Error() string {
	if f.Why == "" {
		return f.What
	}
	return f.What + ": " + f.Why
}

func usage(err error) error {
	return &failure{Code: codeUsage, What: "usage", Why: err.Error(), Try: "coppice help"}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// explain turns an error of a package below into a failure about what.
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	f = &failure{Code: codeFailed, What: what, Why: err.Error()}
	var locked *session.LockedError
	var ambiguous *session.AmbiguousError
	var tooLarge *timeline.PinTooLargeError
	var path *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		f.Code, f.Why = codeInterrupted, "interrupted"
	case errors.As(err, &locked):
		f.Try = "wait until that process ends, or work on a copy with -o"
	case errors.As(err, &ambiguous):
		f.Try = "one of " + join(ambiguous.Candidates)
	case errors.As(err, &tooLarge):
		f.Try = "unpin something, or pin a smaller entry"
	case errors.Is(err, session.ErrForeignActive):
		f.Try = "write to a copy with -o, or use --force when that agent is closed"
	case errors.Is(err, session.ErrNewerVersion):
		f.Try = "a newer coppice, or --force"
	case errors.Is(err, session.ErrNotASession):
		f.Try = "coppice check on the file, or coppice sessions for those there are"
	case errors.Is(err, session.ErrReadOnly):
		f.Try = "write to a copy with -o"
	case errors.Is(err, session.ErrNotFound):
		f.Try = "coppice sessions lists sessions, coppice tree SESSION lists entries"
	case errors.As(err, &path):
		f.File = path.Path
	}
	return f
}

// report prints an error and returns its exit code.
func (a *app) report(ctx context.Context, err error, asJSON bool) int {
	var f *failure
	if !errors.As(err, &f) {
		err = explain("failed", err)
		if errors.As(err, &f); f.What == "failed" && ctx.Err() == nil && isCobraUsage(f.Why) {
			f.Code, f.What, f.Try = codeUsage, "usage", "coppice help"
		}
	}
	if asJSON {
		a.json(map[string]*failure{"error": f})
	}
	fmt.Fprintf(a.Err, "coppice: %s\n", visible(f.Error()))
	if f.Try != "" {
		fmt.Fprintf(a.Err, "try: %s\n", f.Try)
	}
	return int(f.Code)
}
