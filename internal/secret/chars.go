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
	at
	blank     // space and tab
	special   // other characters found in passwords
	quotation // quotes and brackets

	letters    = lower | upper
	word       = letters | digit
	base64set  = word | plus | slash | equals
	base64url  = word | dash | underscore
	nameChars  = word | dash | underscore
	tokenChars = word | dash | underscore | dot | slash | plus | equals | tilde
	valueChars = tokenChars | special | at | colon
	hostChars  = word | dash | dot
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
	t['-'], t['_'], t['.'], t['/'], t['+'], t['='], t['~'], t[':'], t['@'] = dash, underscore, dot, slash, plus, equals, tilde, colon, at
	t[' '], t['\t'] = blank, blank
	return t
}()

func alnum(c byte) bool { return class[c]&word != 0 }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

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
	turns                       int // changes between lower and upper case
}

func classes(v string) counts {
	var c counts
	n := 0
	prev := charset(0)
	for i := range len(v) {
		cl := class[v[i]]
		switch {
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
		if cl|prev == letters {
			c.turns++
		}
		prev = cl
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

// random reports whether the body of a key is random, not a name made of words.
func random(body string) bool {
	c := classes(body)
	return c.longest >= 20 || c.digits > 0 && c.upper > 0 && c.lower > 0 || c.longest >= 16 && c.digits >= 2
}

// mixed reports whether a value is long and looks drawn at random: letters with
// digits among them, or letters that change case as words do not.
func mixed(v string) bool {
	const least, minEntropy = 16, 3.0
	if len(v) < least || entropy(v) < minEntropy {
		return false
	}
	c := classes(v)
	n := c.lower + c.upper
	switch {
	case n == 0 || c.longest < 12:
		return false
	case c.digits >= 3 || c.digits >= 2 && c.upper > 0 && c.lower > 0:
		return true
	}
	return c.turns*3 >= n || c.digits > 0 && c.turns*5 >= n
}

func hexDigits(v string) bool {
	for i := range len(v) {
		if !isHex(v[i]) {
			return false
		}
	}
	return v != ""
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
		} else if !isHex(v[i]) {
			return false
		}
	}
	return true
}
