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
// folders above it up to the root of the repository, nearest first; outside a
// repository those of dir alone (docs/agent.md). Files that cannot be read are
// skipped.
func instructions(dir string) string {
	var b strings.Builder
	for _, folder := range project(dir) {
		for _, name := range instructionFiles {
			data, err := readRegular(filepath.Join(folder, name))
			if err != nil {
				continue
			}
			text := strings.TrimSpace(string(data[:min(len(data), maxInstructions)]))
			b.WriteString("\n\n# Instructions of the project, " + filepath.Join(filepath.Base(folder), name) + "\n\n" + strings.ToValidUTF8(text, ""))
			break
		}
	}
	return b.String()
}

// project lists dir and the folders above it up to the root of its repository.
// Without one, what lies above dir is not known to be of the same project, and
// may be anybody's.
func project(dir string) []string {
	var folders []string
	for d := dir; ; d = filepath.Dir(d) {
		folders = append(folders, d)
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return folders
		}
		if d == filepath.Dir(d) {
			return folders[:1]
		}
	}
}
