package secret

import (
	"encoding/base64"
	"strings"
)

// placeholder reports whether v only stands in for a secret: a variable, a name
// in capitals, masked text.
func placeholder(v string) bool {
	if v == "" || strings.IndexByte("$<{%*[(", v[0]) >= 0 || strings.Contains(v, "...") || strings.Contains(v, "${") || strings.Contains(v, "{{") {
		return true
	}
	c := classes(v)
	if c.lower == 0 && c.digits == 0 && c.other > 0 { // YOUR_API_KEY
		return true
	}
	l := strings.ToLower(v)
	for _, w := range []string{"xxxx", "placeholder", "redacted", "changeme", "change-me", "change_me", "<secret", "your-", "your_"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return strings.HasPrefix(l, "your") || entropy(v) < 1
}

// plainWords are words that are written where a password is meant, in code, in
// forms and in schemas. In lower case.
var plainWords = []string{"password", "passwd", "passwort", "passphrase", "kennwort", "pass", "pwd", "secret", "token", "string", "text", "hidden", "number",
	"boolean", "bool", "null", "none", "nil", "true", "false", "undefined", "required", "optional", "invalid", "missing", "incorrect", "wrong", "forgot",
	"reset", "label", "field", "input", "type", "example", "default", "unknown", "empty", "value", "varchar", "plain", "plaintext", "encrypted", "prompt",
	"change", "update", "current", "confirm", "basic", "bearer", "disabled", "enabled", "public", "private", "localhost", "production", "development",
	"staging", "object", "function", "method", "header", "cookie", "session", "credentials", "authentication", "authorization", "username", "email",
	"admin", "administrator", "changed", "expired", "generated", "internal", "external", "database", "computer", "internet", "security", "language",
	"keychain", "keyring", "interactive", "stdin", "environment", "variable", "integer", "reserved", "disallowed", "allowed", "protected", "readonly"}

// plainWord reports whether a value is a word that nobody uses as a secret: one of
// those above, or one that begins with a capital, as labels do.
func plainWord(v string) bool {
	c := classes(v)
	if c.digits+c.other > 0 {
		return false
	}
	return oneOf(plainWords, strings.ToLower(v)) || c.upper == 1 && c.lower > 0 && v[0] < 'a' || c.lower == 0
}

// reference reports whether a value is code or a label that names the secret
// somewhere else: a member, a variable, the key of a translation, a path.
func (f field) reference(v string) bool {
	if !f.quoted && !f.env && strings.IndexByte("/&!", v[0]) >= 0 {
		return true
	}
	if strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, "os.environ") || strings.Contains(v, "://") && f.kind != password {
		return true
	}
	c := classes(v)
	if c.other == strings.Count(v, ".") && dottedName(v) && (c.digits == 0 || !f.quoted) {
		return true
	}
	if f.env && f.caps || c.other > strings.Count(v, "-")+strings.Count(v, "_")+strings.Count(v, ".") {
		return strings.HasPrefix(v, "/") && strings.Count(v, "/") > 1 && !mixed(v)
	}
	// passwordField, new-password, hashPassword2: a name, not a value
	if holdsSecretWord(v) {
		return !f.quoted || c.digits == 0 && (c.other > 0 || c.turns > 0)
	}
	return false
}

// holdsSecretWord reports whether an identifier speaks of secrets.
func holdsSecretWord(v string) bool {
	if len(v) > 40 || mixedTail(v) {
		return false
	}
	l := strings.ToLower(v)
	for _, w := range []string{"password", "passwd", "passwort", "secret", "token", "apikey", "accesskey", "credential"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// mixedTail reports whether the last part of a value is random.
func mixedTail(v string) bool {
	tail := v[strings.LastIndexAny(v, "-_.")+1:]
	return mixed(tail) || len(tail) >= 12 && classes(tail).digits >= 3
}

// dottedName reports whether a value reads like config.db.password: names with
// dots between them, the first of which is a short word.
func dottedName(v string) bool {
	head, rest, ok := strings.Cut(v, ".")
	if !ok || rest == "" || len(head) < 2 || len(head) > 16 {
		return false
	}
	if c := classes(head); c.digits+c.other > strings.Count(head, "_") {
		return false
	}
	for w := range strings.SplitSeq(rest, ".") {
		if w == "" || class[w[0]]&(letters|underscore) == 0 || classes(w).other > strings.Count(w, "_") {
			return false
		}
	}
	return classes(rest).digits == 0 || nameOf(rest[strings.LastIndexByte(rest, '.')+1:]).kind != noSecret || holdsSecretWord(rest)
}

// userAndPassword reports whether v is user:password in base64.
func userAndPassword(v string) bool {
	if len(v) < 8 || len(v) > 4*near {
		return false
	}
	out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && printable(out) && strings.IndexByte(string(out), ':') > 0
}

func printable(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}
