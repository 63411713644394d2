package filestore

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/coppice-dev/coppice/session"
	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// lock is the right to write to a session. It is an advisory lock of the
// operating system on a file next to the session and ends with its process.
// The text in that file only tells people who holds it.
type lock struct {
	f *flock.Flock
}

// owner is the text of a lock file.
type owner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	Token string    `json:"token"` // distinguishes two locks of one process
}

func lockPath(path string) string { return path + ".lock" }

// acquire takes the lock of the session file at path without waiting. It fails
// with *session.LockedError if someone else holds it, even in this process.
func acquire(path string, now time.Time) (*lock, error) {
	name := lockPath(path)
	for {
		f := flock.New(name, flock.SetPermissions(filePerm))
		ok, err := f.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock session %s: %w", path, readOnlyError(err))
		}
		if !ok {
			return nil, lockedError(path)
		}
		// The previous owner may have removed the file after we opened it;
		// then this lock is on a file that no one else will find.
		mine, err1 := f.Stat()
		there, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			l := &lock{f: f}
			l.sign(now)
			return l, nil
		}
		if err := f.Unlock(); err != nil {
			return nil, fmt.Errorf("lock session %s: %w", path, err)
		}
	}
}

// sign writes who holds the lock. If that fails, as on a full disk, the lock
// still holds.
func (l *lock) sign(now time.Time) {
	host, _ := os.Hostname()
	text, err := json.Marshal(owner{PID: os.Getpid(), Host: host, Since: now.UTC(), Token: uuid.NewString()})
	if err == nil {
		_ = os.WriteFile(l.f.Path(), append(text, '\n'), filePerm)
	}
}

func lockedError(path string) error {
	e := &session.LockedError{Ref: path}
	var o owner
	if text, err := os.ReadFile(lockPath(path)); err == nil && json.Unmarshal(text, &o) == nil {
		e.PID, e.Host, e.Since = o.PID, o.Host, o.Since
	}
	return e
}

// release gives the lock back. Its file is removed while the lock is still
// held, so that it cannot belong to someone else.
func (l *lock) release() {
	_ = os.Remove(l.f.Path())
	_ = l.f.Unlock()
}
