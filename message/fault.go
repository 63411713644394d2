package message

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Class is the kind of a provider's refusal (docs/limits.md).
type Class string

// The classes. What to do about each: Fault.Remedies.
const (
	ClassOverflow       Class = "overflow"        // the request is larger than the context window
	ClassOverflowOutput Class = "overflow-output" // the input fits, the output asked for does not
	ClassBytes          Class = "bytes"           // the request has too many bytes
	ClassRateLimit      Class = "rate-limit"      // too much in a short time
	ClassQuota          Class = "quota"           // nothing left to spend
	ClassAuth           Class = "auth"
	ClassBadRequest     Class = "bad-request"
	ClassPairing        Class = "pairing"  // calls and results do not match
	ClassThinking       Class = "thinking" // reasoning is missing, changed or another model's
	ClassTransient      Class = "transient"
	ClassUnknown        Class = "unknown"
)

// Values are the words that a setting may have.
func (Class) Values() []string {
	return []string{string(ClassOverflow), string(ClassOverflowOutput), string(ClassBytes), string(ClassRateLimit), string(ClassQuota), string(ClassAuth),
		string(ClassBadRequest), string(ClassPairing), string(ClassThinking), string(ClassTransient), string(ClassUnknown)}
}

// Unit is what a limit counts (docs/limits.md), as in "context-tokens". A
// number whose unit is not clear has the unit "unknown", and nothing is learned
// from it.
type Unit string

// Limit is a limit on a request, as a refusal names it. A number that was not
// named is 0; the zero value is not a limit.
type Limit struct {
	Unit Unit // "": no limit was named
	Max  int64
	Used int64 // what counts against it: for tokens of the context, the input
	// Where names the field or the kind of item that it is about, as in
	// "input[3].arguments", "messages" or "image"; "": the whole request.
	Where string
}

// Fault is a model call that failed.
type Fault struct {
	Class      Class
	Limit      Limit
	Requested  int64 // in the limit's unit: the total that was asked for; 0: not named
	RetryAfter time.Duration
	Remedy     Remedy // what to do first, where the class does not say it; "": as the class says

	Status  int    // HTTP status; 0: none
	Message string // the provider's words
	Err     error  // cause, e.g. a network error; may be nil
}

func (f *Fault) Error() string {
	msg := f.Message
	if msg == "" && f.Err != nil {
		msg = f.Err.Error()
	}
	if f.Class == ClassUnknown && f.Message == "" && (errors.Is(f.Err, context.Canceled) || errors.Is(f.Err, context.DeadlineExceeded)) {
		return msg // it is known: the call was given up
	}
	if f.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", f.Class, f.Status, msg)
	}
	return fmt.Sprintf("%s: %s", f.Class, msg)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// AsFault finds a Fault in err's chain.
func AsFault(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}
