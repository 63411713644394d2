package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/lazy"
)

var (
	fileList = lazy.Regexp(`(?s)\n*<(read-files|modified-files)>.*?</(?:read-files|modified-files)>\n*`)
	shortTag = lazy.Regexp(`(?s)<short-summary>(.*?)</short-summary>`)
)

// stripFileLists takes the file lists out of a summary. They are in the entry's
// details and are appended once. A summarizer that got them would return them
// again, so they would grow.
func stripFileLists(summary string) string {
	if !strings.Contains(summary, "-files>") {
		return strings.TrimSpace(summary)
	}
	return strings.TrimSpace(fileList().ReplaceAllString(summary, "\n\n"))
}

// cleanAnswer removes from a model's text what is not the summary: thinking in
// tags, a fence or a wrapper around the whole, file lists copied from the
// request, and the short summary, which it returns separately.
func cleanAnswer(text string) (summary, short string) {
	text = unfence(stripThinking(text))
	if m := shortTag().FindStringSubmatch(text); m != nil {
		short = strings.Join(strings.Fields(m[1]), " ")
		text = shortTag().ReplaceAllString(text, "")
	}
	text = strings.TrimSpace(unfence(text))
	if inner, ok := strings.CutPrefix(text, "<summary>"); ok {
		text = strings.TrimSuffix(strings.TrimSpace(inner), "</summary>")
	}
	return stripFileLists(text), short
}

// stripThinking removes reasoning that a local model wrote as text. Some
// servers swallow the opening tag; a text whose tag never closes is all
// thinking.
func stripThinking(text string) string {
	open, end := strings.Index(text, "<think>"), strings.Index(text, "</think>")
	switch {
	case end >= 0 && (open < 0 || open < end) && strings.TrimSpace(text[:max(open, 0)]) == "":
		return text[end+len("</think>"):]
	case open >= 0 && end < 0 && strings.TrimSpace(text[:open]) == "":
		return ""
	}
	return text
}

// unfence removes a code fence around the whole text.
func unfence(text string) string {
	t := strings.TrimSpace(text)
	first, rest, ok := strings.Cut(t, "\n")
	if !ok || !strings.HasPrefix(first, "```") || !strings.HasSuffix(rest, "\n```") {
		return text
	}
	return strings.TrimSuffix(rest, "\n```")
}

// shortOf makes a short summary from a long one: what was wanted, and what
// comes next. It is for lists of sessions and may be empty.
func shortOf(summary string) string {
	goal := firstLine(summary, "Goal")
	if goal == "" {
		goal = firstLine(summary, "Original Request")
	}
	next := firstLine(summary, "Next Steps")
	switch {
	case next == "":
		return goal
	case goal == "":
		return next
	}
	if last, _ := utf8.DecodeLastRuneInString(goal); unicode.IsLetter(last) || unicode.IsDigit(last) {
		goal += "."
	}
	return goal + " Next: " + next
}

// listMark matches the mark before an item of a list.
var listMark = lazy.Regexp(`^(?:[-*>]\s+|\d+[.)]\s+)*(?:\[[ x]\]\s+)?`)

// firstLine returns the first line under a heading, without list marks and
// without the quotes around all of it.
func firstLine(summary, heading string) string {
	inside := false
	for line := range strings.Lines(summary) {
		line = strings.TrimSpace(line)
		if h := headingOf(line); h != "" {
			inside = h == normalHeading(heading)
			continue
		}
		if !inside || line == "" || line == nothing {
			continue
		}
		line = line[len(listMark().FindString(line)):]
		if inner, ok := strings.CutPrefix(line, `"`); ok && strings.HasSuffix(inner, `"`) {
			line = strings.TrimSuffix(inner, `"`)
		}
		return clip(line, 200)
	}
	return ""
}

// headingOf returns the normal form of a heading line: ATX, or bold alone.
func headingOf(line string) string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "#") && !(strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**")) {
		return ""
	}
	return normalHeading(line)
}

func normalHeading(h string) string {
	h = strings.ToLower(strings.Trim(h, "#*: \t"))
	return strings.Join(strings.Fields(strings.ReplaceAll(h, "&", " and ")), " ")
}
