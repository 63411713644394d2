package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// editSummary opens a summary in the user's editor and returns what was saved.
func (a *app) editSummary(ctx context.Context, summary string) (string, error) {
	editor := a.Getenv("VISUAL")
	if editor == "" {
		editor = a.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return "", errNoEditor
	}
	f, err := os.CreateTemp("", "coppice-summary-*.md")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(summary); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.rawErr, a.rawErr // standard output belongs to the command
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", editor, err)
	}
	text, err := os.ReadFile(f.Name())
	return string(text), err
}
