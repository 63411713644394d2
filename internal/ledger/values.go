package ledger

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

var (
	urlShape    = lazy.Regexp("https?://[^\\s<>\"'`|\\\\^{}]{4,400}")
	numberShape = lazy.Regexp(`(?:^|[^\w.])(\d{1,3}(?:[,  ]\d{3})+|\d+(?:\.\d+)?)\s?(%|ms|µs|s|sec(?:onds?)?|min(?:utes?)?|hours?|h|days?|weeks?|[KMGT]i?B|[kKmMgG]b|bytes?|tokens?|tok/s|lines?|files?|tests?|px|rem|em|fps|Hz|kHz|MHz|GHz|req/s|rps|qps|users?|rows?|USD|EUR|€|°C|x)(?:$|[^\w/])`)
	hashShape   = lazy.Regexp(`(?:^|[^\w/.-])([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{7,12})(?:$|[^\w-])`)
)

// valuesOf finds URLs, numbers with a unit and hashes in what someone wrote.
func valuesOf(text string) []value {
	var out []value
	if strings.Contains(text, "://") {
		for _, u := range urlShape().FindAllString(text, limit(URL)) {
			u = strings.TrimRight(u, ".,;:!?)]*_~")
			out = append(out, value{URL, u})
		}
	}
	if unitFollows(text) {
		for _, m := range numberShape().FindAllStringSubmatchIndex(text, limit(Number)) {
			out = append(out, value{Number, text[m[2]:m[5]]})
		}
	}
	if longHex(text) {
		for _, m := range hashShape().FindAllStringSubmatch(text, limit(Hash)) {
			if isHash(m[1]) {
				out = append(out, value{Hash, m[1]})
			}
		}
	}
	return out
}

// unitFollows returns false if numberShape cannot match: no digit, with or
// without a blank after it, is followed by a byte that begins a unit.
func unitFollows(text string) bool {
	const begins = "%msµhdwKMGTkgbtlfpreHqUuE€°x"
	for i := 0; i < len(text); i++ {
		if !digit(text[i]) {
			continue
		}
		next := text[i+1:]
		if next != "" && strings.IndexByte(" \t\n\f\r", next[0]) >= 0 {
			next = next[1:]
		}
		if next != "" && strings.IndexByte(begins, next[0]) >= 0 {
			return true
		}
	}
	return false
}

// longHex returns false if hashShape cannot match.
func longHex(text string) bool {
	const least = 7
	n := 0
	for i := range len(text) {
		if c := text[i]; digit(c) || c >= 'a' && c <= 'f' {
			if n++; n == least {
				return true
			}
		} else {
			n = 0
		}
	}
	return false
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// isHash reports whether s looks like a hash: at least 7 hexadecimal digits,
// letters and figures among them.
func isHash(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == "" && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "abcdef")
}

// names are the identifiers that are mentioned.
type names struct {
	seen  map[string]*name
	order []*name
}

type name struct {
	text    string
	count   int
	entries []string
}

// maxNames bounds how many names are watched.
const maxNames = 4096

func (n *names) note(text, entry string) {
	it, ok := n.seen[text]
	if !ok {
		if len(n.seen) >= maxNames {
			return
		}
		it = &name{text: text}
		n.seen[text] = it
		n.order = append(n.order, it)
	}
	it.count++
	if entry != "" {
		it.entries = joinEntries(it.entries, []string{entry})
	}
}

// namesIn returns the identifiers in backticks.
func namesIn(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, "`")
		for i := 1; i+1 < len(parts); i += 2 {
			if symbol(parts[i]) {
				out = append(out, parts[i])
			}
		}
	}
	return out
}

var declaration = lazy.Regexp(`^[ \t]*(?:export |default |public |private |static |async |pub |abstract )*(?:func(?:tion)?|class|def|type|interface|struct|enum|fn|trait) +(?:\([^)\n]*\) *)?([A-Za-z_]\w{2,63})`)

// declared notes what is declared in the code that a call writes.
func (n *names) declared(tc message.ToolCall, entry string) {
	text := ""
	for _, op := range calls.FileTool(calls.Name(tc.Name), calls.ArgsOf(tc)) {
		for _, e := range op.Edits {
			text += e.New + "\n"
		}
	}
	const mostBytes, most = 256 << 10, 64
	found := 0
	for line := range strings.SplitSeq(text[:min(len(text), mostBytes)], "\n") {
		m := declaration().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if mixed(m[1]) {
			n.note(m[1], entry)
		}
		if found++; found == most {
			return
		}
	}
}

// recurring returns the names that came up at least twice: the most frequent
// ones up to the limit, in order of first mention.
func (n *names) recurring() []*name {
	var out []*name
	for _, it := range n.order {
		if it.count > 1 {
			out = append(out, it)
		}
	}
	if most := limit(Identifier); len(out) > most {
		byCount := slices.Clone(out)
		slices.SortStableFunc(byCount, func(a, b *name) int { return b.count - a.count })
		least := byCount[most-1].count
		out = slices.DeleteFunc(out, func(it *name) bool { return it.count < least })
	}
	return out
}

var symbolShape = lazy.Regexp(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(\))?$`)

// fileEndings mark dotted names that are files.
var fileEndings = []string{".go", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".py", ".rs", ".md", ".json", ".yml", ".yaml", ".toml", ".txt", ".sh", ".css",
	".html", ".c", ".h", ".cpp", ".hpp", ".java", ".rb", ".php", ".sql", ".lock", ".log", ".env", ".xml", ".jsonl", ".mdx", ".swift", ".kt"}

// symbol reports whether text in backticks names something in code.
func symbol(s string) bool {
	if len(s) < 3 || len(s) > 80 || !symbolShape().MatchString(s) {
		return false
	}
	for _, e := range fileEndings {
		if strings.HasSuffix(s, e) {
			return false
		}
	}
	return mixed(s)
}

// mixed reports whether a name is more than a plain word.
func mixed(s string) bool {
	return strings.ContainsAny(s[1:], "_.:#()ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
