package main

import (
	"fmt"
	"os"
	"strings"
)

// The tables stand between these marks, each on a line of its own.
const (
	openMark  = "<!-- speed -->\n"
	closeMark = "<!-- /speed -->"
)

// replaceSection puts text between the marks of a file.
func replaceSection(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), openMark)
	_, after, closed := strings.Cut(rest, closeMark)
	if !ok || !closed {
		return fmt.Errorf("%s: no marks %s and %s", path, strings.TrimSpace(openMark), closeMark)
	}
	return os.WriteFile(path, []byte(before+openMark+text+closeMark+after), 0o644)
}
