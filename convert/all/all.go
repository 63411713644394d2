// Package all lists the importers, and finds the one for a file.
package all

import (
	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/claudecode"
	"github.com/coppice-dev/coppice/convert/codex"
	"github.com/coppice-dev/coppice/convert/crush"
	"github.com/coppice-dev/coppice/convert/gemini"
	"github.com/coppice-dev/coppice/convert/opencode"
	"github.com/coppice-dev/coppice/convert/pi"
)

// HeadSize is how much of a file Detect needs, in bytes.
const HeadSize = 64 << 10

// All returns every importer, in a fixed order.
func All() []convert.Importer {
	return []convert.Importer{claudecode.Importer, codex.Importer, opencode.Importer, gemini.Importer, crush.Importer, pi.Importer}
}

// ByName finds an importer by its name, or by the name of another agent with
// the same file format.
func ByName(name string) (convert.Importer, bool) {
	switch name {
	case "oh-my-pi", "openclaw", "coppice":
		name = pi.Importer.Name()
	case "gemini-cli":
		name = gemini.Importer.Name()
	}
	for _, im := range All() {
		if im.Name() == name {
			return im, true
		}
	}
	return nil, false
}

// Detect finds the importer that recognizes a file, by its name and its first
// bytes.
func Detect(path string, head []byte) (convert.Importer, bool) {
	for _, im := range All() {
		if im.Recognizes(path, head) {
			return im, true
		}
	}
	return nil, false
}
