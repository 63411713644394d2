package facts

import (
	"maps"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/lazy"
)

var (
	urlShape    = lazy.Regexp("https?://[^\\s<>\"'`|\\\\^{}]{4,400}")
	numberShape = lazy.Regexp(`(?:^|[^\w.])(\d{1,3}(?:[,  ]\d{3})+|\d+(?:\.\d+)?)\s?(%|ms|µs|s|sec(?:onds?)?|min(?:utes?)?|hours?|h|days?|weeks?|[KMGT]i?B|[kKmMgG]b|bytes?|tokens?|tok/s|lines?|files?|tests?|px|rem|em|fps|Hz|kHz|MHz|GHz|req/s|rps|qps|users?|rows?|USD|EUR|€|°C|x)(?:$|[^\w/])`)
	hashShape   = lazy.Regexp(`(?:^|[^\w/.-])([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{7,12})(?:$|[^\w-])`)
)

// value is a URL, a number or a hash.
type value struct {
	class Class
	text  string
}

// valuesOf finds URLs, numbers with a unit and hashes in what someone wrote.
func valuesOf(text string) []value {
	var out []value
	for _, u := range urlShape().FindAllString(text, limit(URL)) {
		out = append(out, value{URL, strings.TrimRight(u, ".,;:!?)]*_~")})
	}
	for _, m := range numberShape().FindAllStringSubmatchIndex(text, limit(Number)) {
		out = append(out, value{Number, text[m[2]:m[5]]})
	}
	for _, m := range hashShape().FindAllStringSubmatch(text, limit(Hash)) {
		if isHash(m[1]) {
			out = append(out, value{Hash, m[1]})
		}
	}
	return out
}

// isHash reports whether s looks like a hash: at least 7 hexadecimal digits,
// letters and figures among them.
func isHash(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == "" && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "abcdef")
}

// names are the identifiers that are mentioned.
type names struct {
	counts map[string]int
	order  []string
}

// maxNames bounds how many names are watched.
const maxNames = 4096

func (n *names) note(name string) {
	if n.counts[name] == 0 {
		if len(n.order) >= maxNames {
			return
		}
		n.order = append(n.order, name)
	}
	n.counts[name]++
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
func (n *names) declared(tool string, args calls.Args) {
	text := ""
	for _, op := range calls.FileTool(tool, args) {
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
			n.note(m[1])
		}
		if found++; found == most {
			return
		}
	}
}

// recurring returns the names that came up at least twice: the most frequent
// ones up to the limit, in order of first mention.
func (n *names) recurring() []string {
	least := 2
	if most := limit(Identifier); len(n.order) > most {
		counts := slices.Sorted(maps.Values(n.counts))
		least = max(least, counts[len(counts)-most])
	}
	return slices.DeleteFunc(n.order, func(name string) bool { return n.counts[name] < least })
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
