// Package estimate takes the estimators that embedders hand in. One may panic
// or return nonsense; the worst result is that we count ourselves.
package estimate

import (
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// most is more tokens than one message can have. Sums of such counts do not
// overflow.
const most = 1 << 32

// Checked returns an estimator whose counts can be summed: where e panics, or
// its count is not above zero or beyond any message, tokens.Default counts: 0
// for something would mean that nothing was said. nil means tokens.Default. Our own estimators need no check.
func Checked(e tokens.Estimator) tokens.Estimator {
	switch e := e.(type) {
	case nil:
		return tokens.Default{}
	case tokens.Plain, tokens.Default, checked:
		return e
	}
	return checked{e}
}

type checked struct{ tokens.Estimator }

// Text counts a text by itself.
func (c checked) Text(s string) int64 {
	return count(func() int64 { return c.Estimator.Text(s) }, func() int64 { return tokens.Default{}.Text(s) })
}

// Message counts one message.
func (c checked) Message(m *message.Message) int64 {
	return count(func() int64 { return c.Estimator.Message(m) }, func() int64 { return tokens.Default{}.Message(m) })
}

func count(theirs, ours func() int64) int64 {
	n, err := guard.Call("the estimator", func() (int64, error) { return theirs(), nil })
	if err != nil || n <= 0 || n > most {
		return ours()
	}
	return n
}
