package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

// figures are the sizes that a text names: the limit, the input, the requested
// output, and the total. 0: not named.
type figures struct {
	limit, input, output, total int64
}

// used is the size of the input.
func (f figures) used() int64 {
	switch {
	case f.input > 0:
		return f.input
	case f.total > f.output:
		return f.total - f.output
	}
	return 0
}

// requested is the total requested, or as much of it as is known.
func (f figures) requested() int64 {
	switch {
	case f.total > 0:
		return f.total
	case f.output > 0:
		return f.output
	}
	return f.input
}

// as converts the figures to a limit and the requested size.
func (f figures) as(u message.Unit) (l message.Limit, requested int64) {
	if f.limit > 0 || f.used() > 0 {
		l = message.Limit{Unit: u, Max: f.limit, Used: f.used()}
	}
	return l, f.requested()
}

// over reports whether the text names a size above a limit.
func (f figures) over() bool {
	return f.limit > 0 && max(f.input, f.total) > f.limit
}

// onlyOutputIsTooMuch reports whether the numbers show that the input fits
// and the requested output does not.
func (f figures) onlyOutputIsTooMuch() bool {
	in := f.used()
	return f.limit > 0 && in > 0 && in <= f.limit && (f.output > f.limit-in || f.output > 0 && f.total > f.limit)
}

// role says what a number in a text counts.
type role int

const (
	roleNone role = iota // an excess, a code, a place
	roleLimit
	roleInput
	roleOutput
	roleTotal
)

// figure is one number with its role.
type figure struct {
	value int64
	role  role
	bytes bool // a number of bytes
	part  bool // its role comes after it: one of several parts of a total
}

// readFigures finds the sizes in a flat text, in tokens and in bytes. If the
// window is known, a single number of about that size is the limit.
func readFigures(text string, window int64) (tokens, bytes figures) {
	if f, ok := fields(text); ok {
		return f, figures{}
	}
	if f, inBytes, ok := sums(text); ok && inBytes {
		return figures{}, f
	} else if ok {
		return f, figures{}
	}
	var tok, byt []figure
	for _, n := range scan(text) {
		if n.bytes {
			byt = append(byt, n)
		} else {
			tok = append(tok, n)
		}
	}
	tokens, bytes = settle(tok), settle(byt)
	if tokens.limit == 0 && tokens.input > 0 && about(tokens.input, window) {
		tokens = figures{limit: tokens.input}
	}
	if bytes == (figures{}) {
		bytes = tokens // "message size 10176584 exceeds limit 2097152"
	}
	return tokens, bytes
}

func about(n, window int64) bool {
	return window > 0 && n > window-window/50 && n < window+window/50
}

var (
	sumOver = lazy.Expr{Of: `(\d[\d,_]*) ?(?:[a-z_]+ )*\+ ?(?:[a-z_]+ )*(\d[\d,_]*) ?(?:tokens )?(?:>|exceeds|is (?:more|larger|greater) than) ?(\d[\d,_]*)`}
	overDif = lazy.Expr{Of: `(\d[\d,_]*) ?> ?(\d[\d,_]*) ?- ?(\d[\d,_]*)`}
	over    = lazy.Expr{Of: `(\d[\d,_]*) ?(?:input |prompt |total )?(tokens?|bytes)? ?(?:>|exceeds|is (?:more|larger|greater|longer) than) ?(\d[\d,_]*)`}
	bounds  = lazy.Expr{Of: `\[ ?\d+ ?(?:,|;|-|\.\.\.?) ?(\d[\d,_]*) ?[\])]`}
)

var (
	fieldCtx    = lazy.Expr{Of: `["']n_ctx["'] ?: ?["']?(\d+)`}
	fieldPrompt = lazy.Expr{Of: `["']n_prompt_tokens["'] ?: ?["']?(\d+)`}
)

// fields reads the numbers that llama.cpp sends next to its text.
func fields(text string) (figures, bool) {
	f := figures{limit: first(fieldCtx.Get(), text), input: first(fieldPrompt.Get(), text)}
	return f, f.limit > 0
}

// sums reads texts that spell out the comparison.
func sums(text string) (f figures, inBytes, ok bool) {
	if m := sumOver.Get().FindStringSubmatch(text); m != nil {
		in, out := number(m[1]), number(m[2])
		return figures{limit: number(m[3]), input: in, output: out}, false, true
	}
	if m := overDif.Get().FindStringSubmatch(text); m != nil {
		return figures{limit: number(m[2]), input: number(m[3]), output: number(m[1])}, false, true
	}
	if m := over.Get().FindStringSubmatch(text); m != nil {
		in, limit := number(m[1]), number(m[3])
		return figures{limit: limit, input: in}, m[2] == "bytes", in > limit
	}
	if m := bounds.Get().FindStringSubmatch(text); m != nil {
		return figures{limit: number(m[1])}, false, true
	}
	return figures{}, false, false
}

// settle makes figures of numbers with roles. Of two limits the larger is a size,
// of two plain sizes the smaller is the limit: nothing is refused for being too
// small.
func settle(numbers []figure) figures {
	var f figures
	var limits, sizes, parts []int64
	for _, n := range numbers {
		switch n.role {
		case roleLimit:
			limits = append(limits, n.value)
		case roleOutput:
			f.output = max(f.output, n.value)
		case roleTotal:
			f.total = max(f.total, n.value)
		case roleInput:
			if n.part && !slices.Contains(parts, n.value) {
				parts = append(parts, n.value)
			} else if !n.part {
				sizes = append(sizes, n.value)
			}
		}
	}
	if len(limits) > 0 {
		f.limit = slices.Min(limits)
		if m := slices.Max(limits); m > f.limit {
			sizes = append(sizes, m)
		}
	}
	for _, p := range parts {
		f.input = add(f.input, p)
	}
	if len(parts) == 0 && len(sizes) > 0 {
		f.input = slices.Max(sizes)
	}
	if f.limit == 0 && len(parts) == 0 && len(sizes) > 1 && slices.Min(sizes) < f.input {
		f.limit = slices.Min(sizes)
	}
	if f.limit == 0 && f.total > 0 && len(sizes) == 1 && f.output == 0 && sizes[0] < f.total {
		f.limit, f.input = sizes[0], 0
	}
	return f
}

// add adds without overflow: numbers come from outside.
func add(a, b int64) int64 {
	if a > maxNumber-b {
		return maxNumber
	}
	return a + b
}

// maxNumber bounds what is read as a size; ids and times are larger.
const maxNumber = 1 << 42

var numeral = lazy.Expr{Of: `(\d{1,3}(?:[,_]\d{3})+|\d+)(\.\d+)?(?: ?(tib|gib|mib|kib|tb|gb|mb|kb|bytes|byte|characters?|chars?|k|m)\b)?`}

// scan finds the numbers of a text that count something.
func scan(text string) []figure {
	var out []figure
	prev, labels := 0, labelled.Get().FindAllStringIndex(text, -1)
	for _, m := range numeral.Get().FindAllStringSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		before := text[max(prev, start-100):start]
		unit := ""
		if m[6] >= 0 {
			unit = text[m[6]:m[7]]
		}
		value, bytes, ok := quantity(text[m[2]:m[3]], m[4] >= 0, text[m[2]:max(m[3], m[5])], unit)
		if !ok || !free(text, start, end) || isCode(before, text[end:], value) {
			continue
		}
		prev = end
		r, part := roleOf(before, text[end:min(len(text), end+64)])
		part = part || r == roleInput && within(labels, start)
		if r != roleNone {
			out = append(out, figure{value: value, role: r, bytes: bytes, part: part})
		}
	}
	return out
}

// labelled is a list of the parts of a size: "(image 1240, text 131072)".
var labelled = lazy.Expr{Of: `\((?:[a-z][a-z _]*[ :=]+\d[\d,_]*(?: tokens?)?(?:, | ?\+ ?|; )?){2,}\)`}

func within(spans [][]int, at int) bool {
	return slices.ContainsFunc(spans, func(s []int) bool { return s[0] <= at && at < s[1] })
}

// quantity reads a number with its unit; k and m count tokens.
func quantity(whole string, fraction bool, all, unit string) (value int64, bytes, ok bool) {
	scale := 1.0
	switch unit {
	case "":
		if fraction {
			return 0, false, false // seconds, versions, prices
		}
		n := number(whole)
		return n, false, n > 0 || whole == "0"
	case "k":
		scale = 1e3
	case "m":
		scale = 1e6
	case "byte", "bytes":
		bytes = true
	case "character", "characters", "char", "chars":
		return 0, false, false // next to a limit in tokens they say nothing
	case "kb", "mb", "gb", "tb":
		scale, bytes = map[byte]float64{'k': 1e3, 'm': 1e6, 'g': 1e9, 't': 1e12}[unit[0]], true
	default:
		scale, bytes = map[byte]float64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30, 't': 1 << 40}[unit[0]], true
	}
	f, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(all), 64)
	if err != nil || f*scale > maxNumber {
		return 0, false, false
	}
	return int64(f*scale + 0.5), bytes, true
}

// number reads digits with separators; 0 for what is too large to be a size.
func number(s string) int64 {
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(s), 10, 64)
	if err != nil || n > maxNumber {
		return 0
	}
	return n
}

// free reports whether a number is on its own and not part of a name, a version,
// a path or an id.
func free(text string, start, end int) bool {
	if start > 0 && strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789_-./#@", text[start-1]) >= 0 {
		return false
	}
	if start > 1 && text[start-1] == '[' && text[start-2] >= 'a' && text[start-2] <= 'z' { // an index
		return false
	}
	if start > 1 && text[start-1] == ':' && text[start-2] >= '0' && text[start-2] <= '9' { // a line, a time of day
		return false
	}
	if end == len(text) {
		return true
	}
	switch c := text[end]; {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '@':
		return false
	case c == '-':
		return strings.HasPrefix(text[end:], "-token")
	case c == '.', c == '/', c == ':':
		return end+1 == len(text) || text[end+1] < '0' || text[end+1] > '9'
	}
	return true
}

var (
	codeBefore  = lazy.Expr{Of: `\b(?:code|status|line|column|char|position|index|id|created|version|timestamp|retries|retried|attempts?)["']?\W{0,3}$`}
	errorBefore = lazy.Expr{Of: `(?:^|\b(?:http|error|api error|exception))\W{0,3}$`}
	fieldBefore = lazy.Expr{Of: `["'] ?: ?["']?$`}
	fieldAfter  = lazy.Expr{Of: `^["']? ?[,}\]]`}
	statusAfter = lazy.Expr{Of: `^ (?:request entity|payload too|content too|bad request|too many requests|forbidden|status code|client error|server error|internal server)`}
	timeAfter   = lazy.Expr{Of: `^ ?(?:(?:milli)?seconds?|minutes?|hours?|days?|times|percent|%)`}
	oddCode     = lazy.Expr{Of: `window exceeds limit \($`} // MiniMax puts its error code there
)

// isCode reports whether a number is a status, an error code, a time or the value
// of an unrelated field.
func isCode(before, after string, value int64) bool {
	switch {
	case codeBefore.Get().MatchString(before), oddCode.Get().MatchString(before), timeAfter.Get().MatchString(after):
		return true
	case value < 600 && (errorBefore.Get().MatchString(before) || statusAfter.Get().MatchString(after)):
		return true
	}
	return fieldBefore.Get().MatchString(before) && fieldAfter.Get().MatchString(after)
}

var (
	limitWord = `(?:max\b|maximum|limit\b|limit(?:ed|s)? (?:is|to|of)|allow|capacity|window|at most|up to|no more than|supports?\b|accepts?\b|context (?:length|size)|only\b|less than|fewer than|budget|cap\b|<=|fits? (?:in|into|within)|限制|最大|上限)`

	afterInput  = lazy.Expr{Of: `^(?:-| )?(?:tokens? )?(?:(?:of|in|from|for|as|are|were) )?(?:(?:the|your|text|tool|image|message) )*'?(?:inputs?|prompts?|messages|history|conversation)\b`}
	afterOutput = lazy.Expr{Of: `^(?:-| )?(?:tokens? )?(?:(?:of|in|from|for|as|are|were) )?(?:(?:the|your|requested|new) )*'?(?:outputs?|completions?|response|generation|max_(?:new_)?tokens|generated)\b`}
	afterLimit  = lazy.Expr{Of: `^(?:-| )?(?:tokens? )?(?:(?:is|as|are|the) )*(?:(?:max\b|maximum|limit|allowed|window|available|supported|capacity)|context\b)`}
	afterCalls  = lazy.Expr{Of: `^ (?:concurrent |api )?(?:requests|calls|queries)\b`}
	afterTotal  = lazy.Expr{Of: `^(?:-| )?(?:tokens? )?(?:in total|total|request\b|(?:were )?requested|sent|in all)`}

	clauseBreak = lazy.Expr{Of: `\. |, |; | and | but |[>{}<]|\b(?:exceed(?:s|ed|ing)?|than|above|beyond|over|contain(?:s|ed|ing)?|has|have|had|having|resulted in|result in|used?|uses|got|provided|received|vs\.?|versus|is too \w+)\b`}
	compares    = lazy.Expr{Of: `\b(?:exceed(?:s|ed|ing)?|than|above|beyond|over|vs\.?|versus)$|[<>]$`}
	excess      = lazy.Expr{Of: `\bby (?:about |~)?$`}
	limitIn     = lazy.Expr{Of: limitWord}
	outputIn    = lazy.Expr{Of: `\b(?:outputs?|completions?|max_(?:completion_|output_|new_)?tokens|maxoutputtokens|generat\w+)\b`}
	totalIn     = lazy.Expr{Of: `\b(?:total|requested|request(?:ing|s)?|sum|asked for|you requested)\b`}
)

// roleOf finds what a number counts from the words around it. Words right after
// it count most ("8192 in the completion"), then the clause before it ("maximum
// context length is ").
func roleOf(before, after string) (r role, part bool) {
	if i := strings.IndexAny(after, ".;:,()[]{}\"<>+=|"); i >= 0 {
		after = after[:i]
	}
	if excess.Get().MatchString(before) || afterCalls.Get().MatchString(after) {
		return roleNone, false
	}
	for _, a := range []struct {
		re   *lazy.Expr
		role role
	}{{&afterLimit, roleLimit}, {&afterInput, roleInput}, {&afterOutput, roleOutput}, {&afterTotal, roleTotal}} {
		if a.re.Get().MatchString(after) {
			return a.role, true
		}
	}
	head, clause := lastClause(before)
	switch {
	case limitIn.Get().MatchString(clause):
		return roleLimit, false
	case blank(clause) && compares.Get().MatchString(head):
		return roleLimit, false
	case outputIn.Get().MatchString(clause):
		return roleOutput, false
	case totalIn.Get().MatchString(clause):
		return roleTotal, false
	}
	return roleInput, false
}

// lastClause splits what comes before a number at its last break.
func lastClause(before string) (head, clause string) {
	all := clauseBreak.Get().FindAllStringIndex(before, -1)
	if all == nil {
		return "", before
	}
	end := all[len(all)-1][1]
	return before[:end], before[end:]
}

func blank(s string) bool {
	return strings.Trim(s, " :(~=\"'[") == "" || s == " about " || s == " the "
}
