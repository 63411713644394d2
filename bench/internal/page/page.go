// Package page writes measured tables into a document, each between the comments
// <!-- NAME --> and <!-- /NAME --> on separate lines.
package page

import (
	"fmt"
	"os"
	"strings"
)

// Section returns the text between the marks of a section.
func Section(document, name string) (text string, ok bool) {
	_, rest, ok := strings.Cut(document, open(name))
	text, _, closed := strings.Cut(rest, shut(name))
	return text, ok && closed
}

// Write replaces the text between the marks of a section in a file. text ends
// with a line feed. An empty path changes nothing.
func Write(path, name, text string) error {
	if path == "" {
		return nil
	}
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	old, ok := Section(string(document), name)
	if !ok {
		return fmt.Errorf("%s: no section between %s and %s", path, strings.TrimSpace(open(name)), shut(name))
	}
	changed := strings.Replace(string(document), open(name)+old+shut(name), open(name)+text+shut(name), 1)
	return os.WriteFile(path, []byte(changed), 0o644)
}

func open(name string) string { return "<!-- " + name + " -->\n" }
func shut(name string) string { return "<!-- /" + name + " -->" }
