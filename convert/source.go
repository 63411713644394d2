package convert

import (
	"errors"
	"fmt"
)

// ErrNoSession says that the requested session is not in the file.
var ErrNoSession = errors.New("no such session in the file")

// ErrNotOurs says that the file does not come from the importer's agent.
var ErrNotOurs = errors.New("not a file of this agent")

// Only checks the requested session against the only one in a file.
func (s Source) Only(id string) error {
	if s.Session != "" && s.Session != id {
		return fmt.Errorf("session %q: %w, which has %q", s.Session, ErrNoSession, id)
	}
	return nil
}
