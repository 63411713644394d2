package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// instructionFiles are what projects tell an agent, the first of each folder
// that there is.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md"}

// maxInstructions bounds what the files of one folder may say, in bytes.
const maxInstructions = 32 << 10

// instructions are those of the project: of dir and the folders above it up
// to the one that holds the repository, nearest first (docs/agent.md). Files
// that cannot be read say nothing.
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
