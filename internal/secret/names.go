package secret

import (
	"strings"
	"sync"
)

// maxName bounds a name, in bytes.
const maxName = 64

// nameKind says what the value of a name must look like to be masked.
type nameKind uint8

const (
	noSecret   nameKind = iota
	password            // chosen by people: words will do
	credential          // drawn at random
	login               // user and password in base64
)

func (k nameKind) String() string {
	if k == password {
		return "password"
	}
	return "credential"
}

// name is what the name of a value says about it.
type name struct {
	kind   nameKind
	caps   bool // written like a variable of the environment
	uuids  bool // a UUID is a secret here
	phrase bool // a phrase of words is
}

// secretWord is a word at the end of the name of a secret.
type secretWord struct {
	text  string
	kind  nameKind
	whole bool // the word is a part of the name, not the end of a longer one
	alone bool // whole, and may be all of the name
}

var secretWords = []secretWord{
	{text: "password", kind: password}, {text: "passwd", kind: password}, {text: "passphrase", kind: password}, {text: "passwort", kind: password},
	{text: "kennwort", kind: password}, {text: "passcode", kind: password}, {text: "wachtwoord", kind: password}, {text: "contrasena", kind: password},
	{text: "motdepasse", kind: password}, {text: "senha", kind: password, whole: true, alone: true},
	{text: "pass", kind: password, whole: true, alone: true}, {text: "pwd", kind: password, whole: true, alone: true},
	{text: "dbpass", kind: password}, {text: "userpass", kind: password}, {text: "dbpwd", kind: password}, {text: "userpwd", kind: password},
	{text: "pw", kind: password, whole: true}, {text: "passwords", kind: password},
	{text: "mnemonic", kind: password}, {text: "seedphrase", kind: password}, {text: "recoveryphrase", kind: password},
	{text: "secret", kind: credential}, {text: "token", kind: credential}, {text: "apikey", kind: credential}, {text: "accesskey", kind: credential},
	{text: "privatekey", kind: credential}, {text: "accountkey", kind: credential}, {text: "authkey", kind: credential}, {text: "secretkey", kind: credential},
	{text: "signingkey", kind: credential}, {text: "encryptionkey", kind: credential}, {text: "sharedkey", kind: credential}, {text: "masterkey", kind: credential},
	{text: "storagekey", kind: credential}, {text: "licensekey", kind: credential}, {text: "servicekey", kind: credential}, {text: "appkey", kind: credential},
	{text: "applicationkey", kind: credential}, {text: "clientkey", kind: credential}, {text: "deploykey", kind: credential}, {text: "sshkey", kind: credential},
	{text: "webhookkey", kind: credential}, {text: "hmackey", kind: credential}, {text: "jwtkey", kind: credential}, {text: "sessionkey", kind: credential},
	{text: "primarykey", kind: credential}, {text: "functionkey", kind: credential}, {text: "globalkey", kind: credential}, {text: "insertkey", kind: credential},
	{text: "serverkey", kind: credential}, {text: "cookiekey", kind: credential}, {text: "writekey", kind: credential}, {text: "adminkey", kind: credential},
	{text: "keybase", kind: credential}, {text: "presharedkey", kind: credential}, {text: "psk", kind: credential, whole: true, alone: true},
	{text: "integrationkey", kind: credential}, {text: "routingkey", kind: credential}, {text: "subscriptionkey", kind: credential},
	{text: "credential", kind: credential}, {text: "credentials", kind: credential}, {text: "creds", kind: credential, whole: true, alone: true},
	{text: "authorization", kind: credential}, {text: "pat", kind: credential, whole: true}, {text: "keydata", kind: credential},
	{text: "phpsessid", kind: credential}, {text: "jsessionid", kind: credential}, {text: "bearer", kind: credential},
	{text: "auth", kind: login, whole: true, alone: true},
}

// notTails follow the word where a name only refers to a secret, notHeads come
// before it where it is of another kind.
var (
	notTails = []string{"hash", "hashed", "sha", "digest", "id", "ids", "uuid", "count", "limit", "limits", "url", "uri", "path", "file", "filename", "dir", "name",
		"names", "type", "types", "length", "len", "size", "at", "expires", "expiry", "expiration", "expired", "ttl", "age", "algorithm", "alg", "method", "field",
		"input", "label", "hint", "placeholder", "regex", "regexp", "pattern", "policy", "strength", "min", "max", "rule", "rules", "error", "errors", "required",
		"valid", "invalid", "validator", "validation", "form", "reset", "prompt", "provider", "generator", "manager", "store", "cache", "handler", "helper",
		"util", "utils", "ref", "reference", "index", "idx", "list", "budget", "usage", "used", "cost", "price", "num", "kind", "class", "table", "column",
		"header", "prefix", "suffix", "endpoint", "address", "version", "status", "state", "scope", "scopes", "issuer", "audience", "format", "stream", "buffer",
		"pos", "position", "offset", "start", "begin", "line", "node", "expr", "text", "env", "var", "variable", "stdin", "title", "message", "description", "icon",
		"enabled", "disabled", "changed", "updated", "created", "rotation", "source", "sock", "socket", "policies", "window", "rate", "estimate", "arn"}
	notHeads = []string{"forgot", "forgotten", "reset", "change", "show", "hide", "toggle", "invalid", "wrong", "missing", "no", "has", "is", "need", "needs",
		"require", "requires", "max", "min", "num", "total", "next", "page", "continuation", "cancel", "cancellation", "prompt", "completion", "input",
		"output", "cached", "count", "design", "css", "stop", "eos", "bos", "pad", "unk", "special", "syntax", "lex", "parse", "peek", "expect", "previous",
		"prev", "last", "first", "per", "cost", "foreign", "public"}
)

// parts is a name in lower case without separators, and where its parts begin.
type parts struct {
	buf    [maxName]byte
	n      int
	starts uint64
}

// byLast are the words by their last letter.
var byLast = sync.OnceValue(func() *[256][]*secretWord {
	t := new([256][]*secretWord)
	for i := range secretWords {
		w := &secretWords[i]
		last := w.text[len(w.text)-1]
		t[last] = append(t[last], w)
	}
	return t
})

// partsOf takes a name apart at separators and where its case changes.
func partsOf(s string) (p parts) {
	var prev, before charset
	for i := 0; i < len(s) && p.n < maxName; i++ {
		c := class[s[i]] & word
		switch {
		case c == 0:
			prev = 0
			continue
		case prev == 0, c&upper != 0 && prev&upper == 0:
			p.starts |= 1 << p.n
		case c&lower != 0 && prev&upper != 0 && before&upper != 0: // the K of APIKey
			p.starts |= 1 << (p.n - 1)
		}
		p.buf[p.n] = s[i]
		if c&upper != 0 {
			p.buf[p.n] |= 0x20
		}
		p.n++
		before, prev = prev, c
	}
	return p
}

func (p *parts) startsAt(i int) bool { return i < maxName && p.starts&(1<<i) != 0 }

// end returns the end of the part at i.
func (p *parts) end(i int) int {
	for i++; i < p.n && !p.startsAt(i); i++ {
	}
	return min(i, p.n)
}

// nameOf says what a name tells about its value.
func nameOf(s string) name {
	if len(s) < 2 {
		return name{}
	}
	p := partsOf(s)
	var best name
	for from := 0; from < p.n; from = p.end(from) {
		end := p.end(from)
		to := end
		for to > from && class[p.buf[to-1]]&digit != 0 { // password1
			to--
		}
		w := p.wordAt(from, to)
		if w == nil {
			continue
		}
		start := to - len(w.text)
		if w.whole && (!p.startsAt(start) || len(w.text) == p.n && !w.alone) || p.refers(start, end) {
			continue
		}
		best = name{kind: w.kind, caps: strings.ToUpper(s) == s, phrase: strings.HasSuffix(w.text, "mnemonic") || strings.HasSuffix(w.text, "phrase"),
			uuids: w.kind == credential && (w.text != "token" || p.uuids(start))}
	}
	if len(s) > 4 && strings.HasSuffix(s, "_KEY") && strings.ToUpper(s) == s && !p.refersKey() {
		if best.kind == noSecret {
			best = name{kind: credential, caps: true}
		}
		best.uuids = true
	}
	return best
}

// wordAt returns the longest word that ends at to and reaches into the part at from.
func (p *parts) wordAt(from, to int) *secretWord {
	if to <= from {
		return nil
	}
	var best *secretWord
	for _, w := range byLast()[p.buf[to-1]] {
		if n := len(w.text); n <= to && string(p.buf[to-n:to]) == w.text && (best == nil || n > len(best.text)) {
			best = w
		}
	}
	return best
}

// refers reports whether what comes before start and after end shows that the name
// is not that of a secret.
func (p *parts) refers(start, end int) bool {
	for i := end; i < p.n; i = p.end(i) {
		to := p.end(i)
		for to > i && class[p.buf[to-1]]&digit != 0 {
			to--
		}
		if oneOf(notTails, string(p.buf[i:to])) {
			return true
		}
	}
	from := start - 1
	for from > 0 && !p.startsAt(from) {
		from--
	}
	return from >= 0 && oneOf(notHeads, string(p.buf[from:start]))
}

// refersKey reports whether a name that ends in key is that of a key in a table.
func (p *parts) refersKey() bool {
	head := string(p.buf[:max(0, p.n-len("key"))])
	for _, w := range []string{"public", "primary", "foreign", "cache", "sort", "partition", "hash", "object", "s3", "storage", "state", "redis", "site", "registry"} {
		if strings.HasSuffix(head, w) {
			return true
		}
	}
	return false
}

// uuids reports whether a UUID after the name is a secret, not an identifier.
func (p *parts) uuids(start int) bool {
	head := string(p.buf[:start])
	for _, w := range []string{"auth", "api", "access", "refresh", "bearer", "deploy", "bot", "npm", "registry"} {
		if strings.HasSuffix(head, w) {
			return true
		}
	}
	return false
}

func oneOf(list []string, w string) bool {
	for _, x := range list {
		if x == w {
			return true
		}
	}
	return false
}
