package convert

import (
	"errors"
	"fmt"
)

// ErrNoSession says that the file does not hold the session that was asked for.
var ErrNoSession = errors.New("no such session in the file")

// ErrNotOurs says that the file is not of the agent whose importer reads it.
var ErrNotOurs = errors.New("not a file of this agent")

// Only checks the wish for a session against the one that a file holds.
func (s Source) Only(id string) error {
	if s.Session != "" && s.Session != id {
		return fmt.Errorf("session %q: %w, which holds %q", s.Session, ErrNoSession, id)
	}
	return nil
}
