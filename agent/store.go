package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/session/filestore"
)

// Modes of the files next to a session, which may contain secrets.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// store keeps an output that is too long for the log.
func (a *Agent) store(name, text string) (where string, err error) {
	if a.cfg.Store != nil {
		return a.cfg.Store(name, text)
	}
	ref := a.session.Ref()
	if !inFile(ref) {
		return "", nil
	}
	dir := filestore.SideDir(ref)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return "", fmt.Errorf("keep output: %w", err)
	}
	path := filepath.Join(dir, safeName(name))
	if err := os.WriteFile(path, []byte(text), fileMode); err != nil {
		return "", fmt.Errorf("keep output: %w", err)
	}
	return path, nil
}

// inFile reports whether a session is kept in a file.
func inFile(ref string) bool { return strings.HasSuffix(ref, ".jsonl") }

// safeName makes a file name from a name that a model chose.
func safeName(name string) string {
	const most = 100
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			return c
		}
		return '_'
	}, name)
	return strings.TrimLeft(safe[max(0, len(safe)-most):], ".")
}
