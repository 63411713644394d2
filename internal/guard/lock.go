package guard

import (
	"context"
	"sync"
)

// Lock is a mutex for work that may hang: waiting for it ends with the caller's
// context. The zero value is unlocked.
type Lock struct {
	once sync.Once
	held chan struct{} // full while it is locked
}

func (l *Lock) slot() chan struct{} {
	l.once.Do(func() { l.held = make(chan struct{}, 1) })
	return l.held
}

// TryLock locks l if it is free, and reports whether it did.
func (l *Lock) TryLock() bool {
	select {
	case l.slot() <- struct{}{}:
		return true
	default:
		return false
	}
}

// Lock locks l. If it is not free, it fails with the cause when ctx ends.
func (l *Lock) Lock(ctx context.Context) error {
	if l.TryLock() {
		return nil
	}
	if err := Given("the context", ctx); err != nil {
		return err
	}
	select {
	case l.slot() <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Unlock unlocks l, which must be locked.
func (l *Lock) Unlock() { <-l.slot() }
