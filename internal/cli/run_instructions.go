package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// instructionFiles hold a project's instructions for agents. The first one
// that exists in a folder is used.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md"}

// maxInstructions bounds the instructions of one folder, in bytes.
const maxInstructions = 32 << 10

// instructions returns the project's instructions: those of dir and of the
// folders above it up to the root of the repository, nearest first
// (docs/agent.md). Files that cannot be read are skipped.
func instructions(dir string) string {
	var b strings.Builder
	for {
		for _, name := range instructionFiles {
			data, err := readRegular(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			text := strings.TrimSpace(string(data[:min(len(data), maxInstructions)]))
			b.WriteString("\n\n# Instructions of the project, " + filepath.Join(filepath.Base(dir), name) + "\n\n" + strings.ToValidUTF8(text, ""))
			break
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return b.String()
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return b.String()
		}
		dir = parent
	}
}
