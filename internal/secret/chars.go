package secret

import (
	"math"
	"strings"
)

// charset is a set of classes of ASCII characters.
type charset uint16

const (
	lower charset = 1 << iota
	upper
	digit
	dash
	underscore
	dot
	slash
	plus
	equals
	tilde
	colon
	blank     // space and tab
	special   // other characters found in passwords
	quotation // quotes and brackets

	letters    = lower | upper
	digits     = digit
	word       = letters | digit
	base64     = word | plus | slash | equals
	base64url  = word | dash | underscore
	tokenChars = word | dash | underscore | dot | slash | plus | equals | tilde
	userinfo   = word | dash | underscore | dot | plus | equals | tilde | special
	printable  = tokenChars | colon | blank | special
)

// class is the class of each byte; bytes of no class are 0.
var class = func() (t [256]charset) {
	for c := range 256 {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z':
			t[c] = lower
		case 'A' <= b && b <= 'Z':
			t[c] = upper
		case '0' <= b && b <= '9':
			t[c] = digit
		case strings.IndexByte("!#$%^&*,;?|{}", b) >= 0:
			t[c] = special
		case strings.IndexByte("\"'`()[]<>\\", b) >= 0:
			t[c] = quotation
		}
	}
	t['-'], t['_'], t['.'], t['/'], t['+'], t['='], t['~'], t[':'] = dash, underscore, dot, slash, plus, equals, tilde, colon
	t[' '], t['\t'] = blank, blank
	return t
}()

func alnum(c byte) bool { return class[c]&word != 0 }

// run returns the end of the characters of set that begin at i.
func run(s string, i int, set charset) int {
	for i < len(s) && class[s[i]]&set != 0 {
		i++
	}
	return i
}

// look is like run for values that may still be rejected: it looks at no more
// than limit bytes, so that a rejected value is not read again from each point in
// it.
func look(s string, i int, set charset) int {
	const limit = 256
	return run(s[:min(len(s), i+limit)], i, set)
}

// trimSentence removes full stops at the end: they end a sentence, not a token.
func trimSentence(s string, start, end int) int {
	for end > start && s[end-1] == '.' {
		end--
	}
	return end
}

// counts says how many characters of each class a value has.
type counts struct {
	lower, upper, digits, other int
	longest                     int // longest run of letters and digits
}

func classes(v string) counts {
	var c counts
	n := 0
	for i := range len(v) {
		switch cl := class[v[i]]; {
		case cl&lower != 0:
			c.lower++
		case cl&upper != 0:
			c.upper++
		case cl&digit != 0:
			c.digits++
		default:
			c.other++
			n = -1
		}
		n++
		c.longest = max(c.longest, n)
	}
	return c
}

// entropy is Shannon's, in bits per byte.
func entropy(v string) float64 {
	var n [256]int
	for i := range len(v) {
		n[v[i]]++
	}
	bits := 0.0
	for _, k := range n {
		if k > 0 {
			p := float64(k) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// placeholder reports whether v only stands in for a secret: a variable, a name
// in capitals, masked text.
func placeholder(v string) bool {
	if v == "" || strings.ContainsAny(v[:1], "$<{%*[") || strings.Contains(v, "...") {
		return true
	}
	c := classes(v)
	if c.lower == 0 && c.digits == 0 && c.other > 0 { // YOUR_API_KEY
		return true
	}
	l := strings.ToLower(v)
	return strings.HasPrefix(l, "your") || strings.Contains(l, "xxxx") || strings.Contains(l, "placeholder") ||
		strings.Contains(l, "redacted") || entropy(v) < 1
}

// uuid reports whether v has the form of a UUID.
func uuid(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if !strings.ContainsRune("0123456789abcdefABCDEF", rune(v[i])) {
			return false
		}
	}
	return true
}
