package digest

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// valueChange tells a line in which only the value of a name differs:
// "max: 10" and "max: 20", "f(x, { n: 1 })" and "f(x, { n: 2 })".
func valueChange(old, new string) (name, was, is string, ok bool) {
	o, n := strings.TrimSpace(old), strings.TrimSpace(new)
	if oName, oValue, ok := assignment(o); ok { // the whole value, where it is short
		nName, nValue, ok := assignment(n)
		if ok && oName == nName && oValue != nValue && len(oValue) <= maxValue && len(nValue) <= maxValue && !strings.ContainsAny(oValue+nValue, "{") {
			return oName, oValue, nValue, true
		}
	}
	p, s := common(o, n)
	for p > 0 && !breaks(o[p-1]) { // back to the edge of a word
		p--
	}
	for s > 0 && !breaks(o[len(o)-s]) {
		s--
	}
	if p+s > len(o) || p+s > len(n) {
		return "", "", "", false
	}
	was, is = trimValue(o[p:len(o)-s]), trimValue(n[p:len(n)-s])
	name = nameBefore(o[:p])
	if name == "" {
		return "", "", "", false
	}
	return name, was, is, was != "" && is != "" && len(was) <= maxValue && len(is) <= maxValue
}

// maxValue bounds a value that is shown, in bytes.
const maxValue = 70

func breaks(c byte) bool { return strings.IndexByte(" \t(){}[],;:=<>|&+*/\"'`", c) >= 0 }

func trimValue(s string) string { return strings.TrimRight(strings.TrimSpace(s), ",;") }

// nameBefore is the name that a text ends with and a sign that sets it: "max:",
// "n =", "--jobs=", or "" .
func nameBefore(s string) string {
	s = strings.TrimRight(s, " \t\"'`")
	sign := false
	for _, end := range []string{":=", "=>", "=", ":"} {
		if rest, ok := strings.CutSuffix(s, end); ok && !strings.HasSuffix(rest, "=") && !strings.HasSuffix(rest, "!") && !strings.HasSuffix(rest, "<") {
			s, sign = rest, true
			break
		}
	}
	if !sign {
		return ""
	}
	s = strings.TrimRight(s, " \t\"'`")
	i := len(s)
	for i > 0 && nameByte(s[i-1]) {
		i--
	}
	if i > 1 && s[i-1] == ':' || i > 1 && s[i-1] == ' ' && s[i-2] == ':' { // a type: "n: usize ="
		if name := nameBefore(s[:i]); name != "" {
			return name
		}
	}
	return strings.Trim(s[i:], "-.")
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// modifiers come before the name that a line sets.
var modifiers = lazy.Words{"export", "pub", "static", "final", "const", "let", "var", "val",
	"public", "private", "protected", "internal", "readonly", "local", "set", "ENV", "ARG", "override",
	"default", "constexpr", "mut", "inline", "int", "long", "double", "float", "bool", "boolean",
	"string", "String", "char", "auto", "size_t", "unsigned", "#define"}

// assignment reads a line that sets a name: "const n = 3", "n: 3", "N=3",
// "#define N 3".
func assignment(line string) (name, value string, ok bool) {
	s := strings.TrimSpace(line)
	s = strings.TrimPrefix(s, "- ")
	define := strings.HasPrefix(s, "#define ")
	for {
		first, rest, more := strings.Cut(s, " ")
		if !more || !modifiers.Has(strings.TrimSuffix(first, "(crate)")) {
			break
		}
		s = strings.TrimSpace(rest)
	}
	s = strings.TrimLeft(s, "\"'`*")
	i := 0
	for i < len(s) && nameByte(s[i]) {
		i++
	}
	if i == 0 || strings.Trim(s[:i], "0123456789.-") == "" {
		return "", "", false
	}
	name, rest := strings.TrimRight(s[:i], ".-"), strings.TrimLeft(s[i:], "\"'`")
	trimmed := strings.TrimSpace(rest)
	switch {
	case define && trimmed != "":
		return name, trimValue(trimmed), true
	case strings.HasPrefix(trimmed, ":="):
		return name, trimValue(trimmed[2:]), true
	case strings.HasPrefix(trimmed, "="):
		if strings.HasPrefix(trimmed, "==") || strings.HasPrefix(trimmed, "=>") {
			return "", "", false
		}
		return name, trimValue(trimmed[1:]), len(trimmed) > 1
	case strings.HasPrefix(rest, ":"):
		v := trimValue(rest[1:])
		if _, after, typed := strings.Cut(v, " = "); typed { // name: type = value
			v = trimValue(after)
		}
		return name, v, v != "" && !strings.HasPrefix(v, ":")
	}
	return "", "", false
}

// isConstant reports whether a name is written as constants are.
func isConstant(name string) bool {
	return len(name) > 2 && strings.ToUpper(name) == name && strings.ContainsAny(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
