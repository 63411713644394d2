package summarize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/message"
)

// Labels of lines that no state carries: the next extraction takes them over
// from the summary before it.
const (
	imageLabel = "Image"
	keepLabel  = "Asked to keep"
	noteLabel  = "Note"
)

// maxImages is how many images, the newest, an extraction names; maxKept is how
// many lines it takes over.
const (
	maxImages = 20
	maxKept   = 40
)

// kept takes over the labelled lines of an earlier extraction.
func (s *sheet) kept(at place) {
	if s.covers.from >= 0 || s.in.PreviousForeign {
		return
	}
	var lines []string
	for line := range strings.Lines(quote.Escape(s.in.Mask(s.in.PreviousSummary))) {
		line = strings.TrimSpace(line)
		if slices.ContainsFunc([]string{imageLabel, keepLabel, noteLabel}, func(label string) bool { return strings.HasPrefix(line, "- "+label+": ") }) {
			lines = append(lines, line)
		}
	}
	for _, line := range lines[max(0, len(lines)-maxKept):] {
		s.add(at, wanted1, -1, line)
	}
}

// images names the images of the range and where they can be read.
func (s *sheet) images(at place) {
	var lines []string
	names := newSerializer(SerializeOptions{Mask: s.in.Mask})
	for _, src := range s.sources {
		if src.Message == nil || src.Message.Images() == 0 {
			continue
		}
		from := "from the user"
		if name := names.name(src.Message.ToolName); name != "" {
			from = "from " + name
		}
		for _, b := range src.Message.Content {
			if img, ok := b.(message.Image); ok {
				lines = append(lines, fmt.Sprintf("%s, %s, %s, at en:%s", names.mime(img.MIMEType), size(len(img.Data)), from, src.EntryID))
			}
		}
	}
	for i, l := range lines[max(0, len(lines)-maxImages):] {
		s.add(at, wanted1, i, labelled(imageLabel, l))
	}
}
