// Package guard calls code that others have written: a summarizer, a model, a
// hook, a tool, a store. It may fail, hang, panic or end its goroutine; the worst
// result is an error.
package guard

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"
)

// Panic is the error of a call that panicked.
type Panic struct {
	What  string // that was called, for people
	Value any    // what it panicked with
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%s panicked: %v", p.What, p.Value) }

// Unwrap returns the error that it panicked with, if it was one.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// ErrNil says that a caller passed nil where a value is needed.
var ErrNil = errors.New("nil was passed")

// Given fails with ErrNil if there is no value. what is its name, for people.
func Given[T any](what string, v T) error {
	switch r := reflect.ValueOf(&v).Elem(); r.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan, reflect.Slice:
		if r.IsNil() {
			return fmt.Errorf("%s: %w", what, ErrNil)
		}
	}
	return nil
}

// Ready returns why nothing can be done with a context: it is nil, or it has
// ended.
func Ready(ctx context.Context) error {
	if ctx == nil {
		return Given("the context", ctx)
	}
	return ctx.Err()
}

// ErrExit says that a call ended the goroutine it ran in (runtime.Goexit).
var ErrExit = errors.New("it ended the goroutine it ran in")

// Call calls f and waits for it. An error that cannot say what it is, such as a nil
// pointer of an error type, counts as a panic.
func Call[T any](what string, f func() (T, error)) (T, error) {
	r := <-start(what, f)
	return r.v, r.err
}

// Do calls f and returns when it does or when ctx ends, with the cause. If f
// hangs after ctx has ended, it is left running; f must not write to anything
// that the caller reads after that.
func Do[T any](ctx context.Context, what string, f func() (T, error)) (T, error) {
	select {
	case r := <-start(what, f):
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

type result[T any] struct {
	v   T
	err error
}

// start calls f in a goroutine of its own, because nothing else survives a
// runtime.Goexit.
func start[T any](what string, f func() (T, error)) <-chan result[T] {
	done := make(chan result[T], 1)
	go func() {
		r := result[T]{err: fmt.Errorf("%s: %w", what, ErrExit)}
		defer func() {
			if p := recover(); p != nil {
				r.err = &Panic{What: what, Value: p, Stack: debug.Stack()}
			}
			done <- r
		}()
		v, err := f()
		if err != nil {
			_ = err.Error()
		}
		r = result[T]{v, err}
	}()
	return done
}

// Grace returns a context for what has to be finished after ctx has ended: it
// ends d later, or with stop.
func Grace(ctx context.Context, d time.Duration) (late context.Context, stop func()) {
	late, end := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { time.AfterFunc(d, func() { end(context.Cause(ctx)) }) })
	return late, func() {
		unhook()
		end(context.Canceled)
	}
}
