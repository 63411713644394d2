package secret

import (
	"slices"
	"strings"
)

// minKnown is the length from which a known value is masked wherever it is:
// shorter ones are parts of ordinary words.
const minKnown = 8

// literals finds the values that are known to be secrets.
func (sc *scanner) literals() {
	for _, v := range sc.known {
		for from := 0; ; {
			i := strings.Index(sc.s[from:], v)
			if i < 0 {
				break
			}
			from += i
			sc.add(span{from, from + len(v), "known-value"})
			from += len(v)
		}
		sc.work += len(sc.s)
	}
}

// usable are the values that are long enough and no common words, longest first.
func usable(values []string) []string {
	var out []string
	for _, v := range values {
		v = strings.TrimSpace(v)
		if len(v) >= minKnown && !common(v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// common reports whether a value is a word, a number or a path that texts have for
// other reasons.
func common(v string) bool {
	c := classes(v)
	switch {
	case c.other == 0 && c.digits == 0 && (c.upper == 0 || c.lower == 0 || c.upper == 1 && v[0] < 'a'):
		return oneOf(plainWords, strings.ToLower(v)) || len(v) < 12 && oneOf(commonWords, strings.ToLower(v))
	case strings.HasPrefix(v, "/"), strings.HasPrefix(v, "~/"), strings.HasPrefix(v, "./"):
		return !mixed(v[strings.LastIndexByte(v, '/')+1:])
	case strings.Contains(v, "://"), placeholder(v):
		return true
	}
	return c.lower+c.upper+c.other == 0 && len(v) < 10
}

// commonWords are words of eight letters and more that a variable may well have.
var commonWords = []string{"absolute", "abstract", "activate", "anonymous", "anything", "argument", "attempts", "automatic", "available", "balanced",
	"baseline", "building", "calendar", "category", "certificate", "channel", "complete", "component", "configure", "connection", "constant",
	"container", "continue", "contract", "creating", "customer", "dashboard", "deployment", "detailed", "developer", "directory", "discover", "document",
	"download", "duration", "education", "exchange", "existing", "explicit", "extended", "fallback", "features", "filename", "forbidden", "generate",
	"included", "industry", "installed", "instance", "keyboard", "keystore", "learning", "libraries", "location", "manually", "material", "messages",
	"modified", "national", "notebook", "nothing", "official", "operator", "original", "override", "packages", "password1", "personal", "platform",
	"position", "possible", "practice", "previous", "priority", "problems", "profiles", "programs", "progress", "projects", "property", "provider",
	"question", "register", "registry", "relative", "released", "reporter", "requests", "research", "resource", "response", "schedule", "selected",
	"sensitive", "sentence", "sequence", "services", "settings", "software", "standard", "standalone", "starting", "statement", "strategy", "structure",
	"terminal", "together", "training", "transfer", "together", "unlimited", "username", "validate", "version", "workspace", "yourself"}

// environment returns the values of the variables whose names say that they are
// secret. environ is as os.Environ has it.
func environment(environ []string) []string {
	var out []string
	for _, e := range environ {
		if n, v, ok := strings.Cut(e, "="); ok && len(v) >= minKnown && len(n) <= maxName && nameOf(n).kind != noSecret {
			out = append(out, v)
		}
	}
	return out
}
