// Package secret replaces secrets in text with stubs that say what was there
// (invariant I11; docs/security.md says what is found and how it is measured). It
// knows the shapes of common credentials, the names and commands that announce
// one, and values that it is told of; what only looks random (git and content
// hashes, UUIDs) is left alone.
//
// Masking never fails and takes time linear in its input: the text is read once as
// it is and where it is disguised once without its escapes, and a failed attempt
// reads a bounded number of bytes.
package secret

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Masker masks secrets. It is safe for concurrent use. The zero value knows
// the built-in shapes only.
type Masker struct {
	extra []*regexp.Regexp
	known []string
}

// New returns a masker for the built-in shapes, the extra patterns (RE2 syntax; the
// setting secrets.patterns) and known values, each of which is masked wherever it
// is unless it is short or a common word. A pattern that does not compile is an
// error.
func New(extra []string, known ...string) (*Masker, error) {
	m := &Masker{known: usable(known)}
	for _, p := range extra {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("secrets.patterns: %q: %w", p, err)
		}
		m.extra = append(m.extra, re)
	}
	return m, nil
}

// Default masks the built-in shapes and the secrets of the environment.
func Default() func(string) string { return Settings{}.Masker(os.Environ()) }

// maxRounds bounds the repeats of Mask. A repeat is only needed if a stub made a
// new edge in the text that matches an extra pattern's ^, $ or \b.
const maxRounds = 8

// Mask returns s with each secret replaced by a stub such as
// "[secret: github-token]". Masking masked text changes nothing.
func (m *Masker) Mask(s string) string {
	for range maxRounds {
		out := m.once(s)
		if out == s {
			break
		}
		s = out
	}
	return s
}

const (
	stubOpen  = "[secret: "
	stubClose = "]"
	maxKind   = 24 // bytes in a kind
)

// span is the place of a secret in a text.
type span struct {
	start, end int
	kind       string
}

// once masks the text between existing stubs.
func (m *Masker) once(s string) string {
	var out strings.Builder
	changed := false
	for s != "" {
		start, end := nextStub(s)
		spans, _ := m.find(s[:start])
		changed = changed || len(spans) > 0
		at := 0
		for _, sp := range spans {
			out.WriteString(s[at:sp.start])
			out.WriteString(stubOpen + sp.kind + stubClose)
			at = sp.end
		}
		if !changed && end == len(s) && out.Len() == 0 {
			return s // the common case: nothing to do, nothing to copy
		}
		out.WriteString(s[at:end])
		s = s[end:]
	}
	return out.String()
}

// nextStub returns the place of the first stub, or the end of s twice.
func nextStub(s string) (start, end int) {
	for from := 0; ; {
		i := strings.Index(s[from:], stubOpen)
		if i < 0 {
			return len(s), len(s)
		}
		start = from + i
		from = start + len(stubOpen)
		n := from
		for n < len(s) && n-from < maxKind && (s[n] == '-' || 'a' <= s[n] && s[n] <= 'z') {
			n++
		}
		if n > from && n < len(s) && s[n] == ']' {
			return start, n + 1
		}
	}
}

// find returns the secrets of a text without stubs, in order, not overlapping, and
// how many bytes were looked at.
func (m *Masker) find(s string) ([]span, int) {
	sc := scanner{s: s, table: words(), known: m.known}
	sc.scan()
	sc.literals()
	more, work := m.disguised(s, sc.veil, sc.table)
	spans := append(sc.spans, more...)
	for _, re := range m.extra {
		for _, loc := range re.FindAllStringIndex(s, -1) {
			if loc[1] > loc[0] {
				spans = append(spans, span{loc[0], loc[1], "custom"})
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return merge(spans), sc.work + work
}

// merge joins overlapping spans; the earlier one names the kind.
func merge(spans []span) []span {
	var out []span
	for _, sp := range spans {
		if n := len(out); n > 0 && sp.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, sp.end)
			continue
		}
		out = append(out, sp)
	}
	return out
}
