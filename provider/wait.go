package provider

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// maxWait is the longest wait that is believed; a longer one is a mistake or a
// quota.
const maxWait = 31 * 24 * time.Hour

var (
	waitText = lazy.Regexp(`(?:(?:try|retry)(?:ing)?(?: again)?|available|resets?|wait)(?: (?:in|after|for|at least|about))* ?:? ?((?:(?:and |, )? ?\d+(?:\.\d+)? ?(?:milliseconds?|ms|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s))+)\b`)
	waitRaw  = lazy.Regexp(`["']?(?:retrydelay|retry_delay|retry[-_ ]after|resets_in_seconds|retry_after_seconds)["']?\s*[:=]?\s*["']?(\d+(?:\.\d+)?)(ms|s)?\b`)
	waitPart = lazy.Regexp(`(\d+(?:\.\d+)?) ?(milliseconds?|ms|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)`)
)

// wait finds how long the provider asks to wait, in its headers or else in the
// text; 0 if it does not say.
func wait(h http.Header, text string) time.Duration {
	if d := waitHeader(h); d > 0 {
		return d
	}
	if m := waitText().FindStringSubmatch(text); m != nil {
		var sum time.Duration
		for _, p := range waitPart().FindAllStringSubmatch(m[1], -1) {
			sum += span(p[1], p[2])
		}
		return min(sum, maxWait)
	}
	if m := waitRaw().FindStringSubmatch(text); m != nil {
		unit := m[2]
		if unit == "" {
			unit = "s"
		}
		return span(m[1], unit)
	}
	return 0
}

var resetAt = lazy.Regexp(`\bresets?(?:_at)?["']?(?: time)?(?: (?:at|on))? ?[:=]? ?["']?(?:(\d{10})\b|(20\d\d-\d\d-\d\d)[t ](\d\d:\d\d:\d\d)(?:\.\d+)? ?(z\b|[-+]\d\d:\d\d)?)`)

// untilReset is how long it is until the moment at which a text says that a limit
// is reset, counted from the answer's own Date header, or else from now. A moment
// without a time zone is read as UTC.
func untilReset(h http.Header, text string) time.Duration {
	m := resetAt().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	var until time.Time
	if seconds := number(m[1]); seconds > 0 {
		until = time.Unix(seconds, 0)
	} else if until, err = time.Parse(time.RFC3339, m[2]+"T"+m[3]+strings.ToUpper(cmp.Or(m[4], "z"))); err != nil {
		return 0
	}
	return min(max(0, until.Sub(now)), maxWait)
}

// waitHeader reads retry-after. A date there is compared with the answer's own
// Date header, so no clock is needed.
func waitHeader(h http.Header) time.Duration {
	if d := span(h.Get("Retry-After-Ms"), "ms"); d > 0 {
		return d
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if d := span(after, "s"); d > 0 {
		return d
	}
	until, err := http.ParseTime(after)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil || until.Before(now) {
		return 0
	}
	return min(until.Sub(now), maxWait)
}

func span(number, unit string) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(n > 0) { // not a number is not above 0
		return 0
	}
	scale := time.Second
	switch {
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"):
		scale = time.Millisecond
	case unit[0] == 'm':
		scale = time.Minute
	case unit[0] == 'h':
		scale = time.Hour
	}
	if n >= float64(maxWait)/float64(scale) {
		return maxWait
	}
	return time.Duration(n * float64(scale)).Round(time.Microsecond)
}
