package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/session"
)

// exitCode ends a run without printing anything more.
type exitCode int

// Exit codes (docs/cli.md).
const (
	codeDone        exitCode = 0
	codeFailed      exitCode = 1
	codeUsage       exitCode = 2
	codeNothing     exitCode = 3
	codeProblems    exitCode = 4
	codeInterrupted exitCode = 130
)

func (c exitCode) Error() string { return "exit code " + strconv.Itoa(int(c)) }

// failure is an error as the user reads it: "coppice: what: why", and a line
// "try: …" if there is something to do about it.
type failure struct {
	Code exitCode `json:"-"`
	What string   `json:"what"`
	Why  string   `json:"why"`
	Try  string   `json:"try,omitempty"`
	File string   `json:"file,omitempty"`
	Line int      `json:"line,omitzero"`

	cause error
}

func (f *failure) Error() string {
	if f.Why == "" {
		return f.What
	}
	return f.What + ": " + f.Why
}

func (f *failure) Unwrap() error { return f.cause }

// usage is the failure of a command that was called wrongly. Run adds which
// help to read.
func usage(err error) error {
	return &failure{Code: codeUsage, What: "usage", Why: flagError(err), cause: err}
}

// flagError says what is wrong with a flag's value, without the name of the
// function that found out.
func flagError(err error) string {
	var number *strconv.NumError
	why, _, found := strings.Cut(err.Error(), ": strconv.")
	switch {
	case !found || !errors.As(err, &number):
		return err.Error()
	case errors.Is(number.Err, strconv.ErrRange):
		return why + ": too large"
	case number.Func == "ParseBool":
		return why + ": neither true nor false"
	}
	return why + ": not a number"
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// explain turns an error of a lower package into a failure about what. A path
// that is already in what is not repeated.
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	f = &failure{Code: codeFailed, What: what, Why: err.Error(), Try: tryFor(err), File: fileOf(what, err), cause: err}
	if errors.Is(err, context.Canceled) {
		f.Code, f.Why = codeInterrupted, "interrupted"
	}
	if f.File != "" && strings.HasSuffix(what, " "+f.File) {
		f.Why = withoutPath(f.Why, f.File)
	}
	return f
}

// fileOf returns the file that an error is about, or "".
func fileOf(what string, err error) string {
	var locked *session.LockedError
	var path *fs.PathError
	_, named, _ := strings.Cut(what, " ")
	switch {
	case filepath.IsAbs(named):
		return named
	case errors.As(err, &locked):
		return locked.Ref
	case errors.As(err, &path):
		return path.Path
	}
	return ""
}

// withoutPath removes a path from a reason: "open PATH: why", "session PATH:
// why" and "PATH: why" are all "why".
func withoutPath(why, path string) string {
	for _, before := range []string{"session ", "open ", "stat ", "lstat ", "read ", "write ", ""} {
		why = strings.ReplaceAll(why, before+path+": ", "")
	}
	return why
}

// tryFor returns what can be done about an error, or "".
func tryFor(err error) string {
	var locked *session.LockedError
	var ambiguous *session.AmbiguousError
	var tooLarge *coppice.PinTooLargeError
	switch {
	case errors.As(err, &locked):
		return "wait for that process to end, or work on a copy: coppice clone"
	case errors.As(err, &ambiguous):
		return "one of " + join(ambiguous.Candidates)
	case errors.As(err, &tooLarge):
		return "unpin something, or pin a smaller entry"
	case errors.Is(err, session.ErrForeignActive):
		return "work on a copy: coppice clone, or use --force once that agent is closed"
	case errors.Is(err, session.ErrNewerVersion):
		return "use a newer coppice, or --force"
	case errors.Is(err, session.ErrNotASession):
		return "coppice sessions lists the sessions there are; coppice import reads other agents' files"
	case errors.Is(err, session.ErrReadOnly):
		return "work on a copy: coppice clone"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space on that disk; nothing that was written is lost"
	case errors.Is(err, session.ErrNotFound):
		return "coppice sessions lists sessions, coppice tree SESSION lists entries"
	}
	return ""
}

// report prints an error and returns its exit code.
func (a *app) report(ctx context.Context, err error, asJSON bool) int {
	var f *failure
	if !errors.As(err, &f) {
		// Commands explain their own errors; anything else comes from the
		// parser.
		f = &failure{Code: codeUsage, What: "usage", Why: err.Error(), cause: err}
	}
	if ctx.Err() != nil && f.Code == codeFailed { // what it interrupted did not fail by itself
		f.Code, f.Why = codeInterrupted, "interrupted"
	}
	if f.Code == codeUsage && f.Try == "" {
		f.Try = a.help
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
