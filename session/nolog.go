package session

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/coppice-dev/coppice/internal/guard"
)

// given returns what is missing for reading a log.
func given(ctx context.Context, log Log) error {
	return errors.Join(guard.Given("the context", ctx), guard.Given("the log", log))
}

// noLog is the log of a session that was given none. Whatever reads or writes
// fails.
type noLog struct{}

var errNoLog = fmt.Errorf("the log: %w", ErrNil)

func (noLog) Header() Header                                      { return Header{} }
func (noLog) Ref() string                                         { return "" }
func (noLog) Leaf(context.Context) (*Entry, error)                { return nil, errNoLog }
func (noLog) Parent(context.Context, *Entry) (*Entry, error)      { return nil, errNoLog }
func (noLog) Find(context.Context, string, int64) (*Entry, error) { return nil, errNoLog }
func (noLog) Append(context.Context, []*Entry) ([]*Entry, error)  { return nil, errNoLog }
func (noLog) Problems(context.Context, bool) ([]Problem, error)   { return nil, errNoLog }
func (noLog) Close() error                                        { return nil }
func (noLog) All(context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { yield(nil, errNoLog) }
}
