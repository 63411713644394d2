package provider

import (
	"fmt"
	"html"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// maxTitle is how much of a page's title is quoted, in UTF-16 units.
const maxTitle = 200

var (
	pageStart = lazy.Regexp(`(?i)^\s*<(?:!doctype|!--|\?xml|[a-z])`)
	titles    = lazy.Regexp(`(?is)<title\b[^>]*>(.*?)</title>`)
	headings  = lazy.Regexp(`(?is)<h[1-3]\b[^>]*>(.*?)</h[1-3]>`)
	markup    = lazy.Regexp(`(?is)<!--.*?-->|<(style|script)\b.*?</(?:style|script)>|<[^>]*>`)
)

// isPage reports whether a text is a page for people, as proxies send it.
func isPage(text string) bool { return pageStart().MatchString(text) }

// pageWords are those that tell what a page is about: its title, else its first
// heading, else its text.
func pageWords(page string) string {
	for _, part := range []string{submatch(titles().FindStringSubmatch(page)), submatch(headings().FindStringSubmatch(page)), page} {
		text := html.UnescapeString(markup().ReplaceAllString(part, " "))
		if text = strings.Join(strings.Fields(safetext.Sanitize(text)), " "); text != "" {
			return safetext.CutHead(text, maxTitle)
		}
	}
	return ""
}

// pageFault is the fault of a page that came with the status of an answer. What
// it says is said by a proxy in between, so it may pass.
func pageFault(status int, page string) *message.Fault {
	return &message.Fault{Class: message.ClassTransient, Status: status,
		Message: fmt.Sprintf("a web page came instead of an answer: %q", pageWords(page))}
}

func submatch(m []string) string {
	if m == nil {
		return ""
	}
	return m[1]
}
