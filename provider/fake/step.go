package fake

import (
	"cmp"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/message"
)

// Step is what the server does with one request. The zero value answers with
// nothing at all.
type Step struct {
	// Answer makes the step from the request; the other fields are then ignored.
	// It may be called concurrently.
	Answer func(Request) Step

	// Deltas are JSON objects that the dialect openai-chat sends before the rest of
	// the answer, as they are: the reasoning of vendors that have a form of their
	// own. Other dialects do not send them.
	Deltas []string
	// The answer, in this order. It is cut at the request's output limit, as a
	// vendor would.
	Thinking string
	Text     string
	Calls    []message.ToolCall
	// Stop is the stop reason; "" means toolUse for an answer with calls, else
	// stop.
	Stop message.StopReason
	// Usage is what the server claims to have counted; nil: what it counted.
	Usage *message.Usage

	// Refuse answers with an error instead; nil: does not.
	Refuse *Refusal
	// Full refuses the request, whatever its size, as the vendor does when the
	// prompt does not fit.
	Full bool
	// end is how the stream ends; what comes before it is still sent.
	end ending
	// words are the text of the error that ends the stream (endError), or the
	// title of the page that is sent instead of a stream (endPage).
	words string
}

// Refusal is an HTTP error in the vendor's form.
type Refusal struct {
	Status     int
	Type       string        // the vendor's type or code; "": what goes with the status
	Message    string        // "": what goes with the status
	RetryAfter time.Duration // header retry-after, in whole seconds; 0: none
}

// ending is how a stream ends.
type ending int

// The endings.
const (
	endWell  ending = iota // as it should
	endError               // with an error inside the stream
	endStall               // silence, until the client goes away
	endCut                 // the connection is cut
	endTorn                // within an event, and within a character
	endPage                // there is none: a page comes instead
)

// Say answers with text. An error text as content is just text.
func Say(text string) Step { return Step{Text: text} }

// Call calls one tool. arguments is a JSON object.
func Call(id, name, arguments string) Step {
	return Step{Calls: []message.ToolCall{{ID: id, Name: name, Arguments: jsontext.Value(arguments)}}}
}

// Overflow refuses the request as one that does not fit.
func Overflow() Step { return Step{Full: true} }

// Refuse answers with an error: a status of HTTP, in the vendor's form.
func Refuse(status int) Step { return Step{Refuse: &Refusal{Status: status}} }

// words is the text of a refusal.
func (r Refusal) words() string {
	switch {
	case r.Message != "":
		return r.Message
	case r.Status == http.StatusTooManyRequests:
		return "Rate limit reached: too many requests. Please slow down."
	case r.Status == statusOverloaded:
		return "Overloaded"
	}
	return cmp.Or(http.StatusText(r.Status), "Error")
}

const statusOverloaded = 529 // not a standard one

// StreamError says text and then sends an error with these words in the
// stream.
func StreamError(text, words string) Step { return Step{Text: text, end: endError, words: words} }

// Stall says text and then nothing, until the client goes away.
func Stall(text string) Step { return Step{Text: text, end: endStall} }

// Cut says text and cuts the connection.
func Cut(text string) Step { return Step{Text: text, end: endCut} }

// Torn says text and ends the stream within the next event.
func Torn(text string) Step { return Step{Text: text, end: endTorn} }

// Page answers as a proxy does that cannot reach the server and says so to
// people, with the status of a success.
func Page(title string) Step { return Step{words: title, end: endPage} }
