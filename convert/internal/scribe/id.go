package scribe

import "github.com/coppice-dev/coppice/internal/lazy"

var idForm = lazy.Regexp(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$`)

// SessionID returns the id of another agent's session if our session can have
// the same one, which becomes part of a file name; else "".
func SessionID(id string) string {
	if idForm().MatchString(id) {
		return id
	}
	return ""
}
