package texts

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
)

const (
	lower      = "abcdefghijklmnopqrstuvwxyz"
	alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)

// dense are texts without words, such as hex and base64.
func dense() []Kind {
	return []Kind{
		{"base64", func(g *source) { g.printf("%s", base64.StdEncoding.EncodeToString(g.bytes(300))) }},
		{"base64 in lines", func(g *source) { g.printf("%s\n", base64.StdEncoding.EncodeToString(g.bytes(57))) }},
		{"base64 of text", func(g *source) {
			g.printf("%s", base64.StdEncoding.EncodeToString([]byte(g.phrase()+", "+g.phrase()+".")))
		}},
		{"base64 of zeros", func(g *source) {
			g.printf("%s\n", base64.StdEncoding.EncodeToString(append(make([]byte, 120), g.bytes(60)...)))
		}},
		{"JWT", func(g *source) {
			enc := base64.RawURLEncoding
			g.printf("Authorization: Bearer %s.%s.%s\n", enc.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)), enc.EncodeToString(marshal(map[string]any{"sub": g.one(nouns), "iat": g.IntN(1 << 30)}, "")), enc.EncodeToString(g.bytes(32)))
		}},
		{"base32", func(g *source) { g.printf("%s\n", base32.StdEncoding.EncodeToString(g.bytes(40))) }},
		{"ascii85", func(g *source) {
			out := make([]byte, ascii85.MaxEncodedLen(60))
			g.printf("%s\n", out[:ascii85.Encode(out, g.bytes(60))])
		}},
		{"hex", func(g *source) { g.printf("%s", hex.EncodeToString(g.bytes(100))) }},
		{"hex in capitals", func(g *source) { g.printf("%s\n", strings.ToUpper(hex.EncodeToString(g.bytes(32)))) }},
		{"checksums", func(g *source) { g.printf("%s  %s\n", hex.EncodeToString(g.bytes(32)), g.path()) }},
		{"hex dump", func(g *source) {
			g.printf("%08x: % x  |%s|\n", g.IntN(1<<20)*16, g.bytes(16), g.chars(16, "...ABCabc012"))
		}},
		{"byte list", func(g *source) { g.printf("0x%02x, ", g.IntN(256)) }},
		{"UUIDs", func(g *source) { g.printf("%s\n", uuid(g)) }},
		{"digits", func(g *source) { g.printf("%s", g.chars(50, "0123456789")) }},
		{"digits in groups", func(g *source) { g.printf("%d ", g.IntN(1_000_000)) }},
		{"binary digits", func(g *source) { g.printf("%s\n", g.chars(64, "01")) }},
		{"letters at random", func(g *source) { g.printf("%s ", g.chars(g.between(4, 12), lower)) }},
		{"letters of both cases", func(g *source) { g.printf("%s\n", g.chars(40, lower+strings.ToUpper(lower))) }},
		{"passwords", func(g *source) { g.printf("%s\n", g.chars(20, "!#$%&()*+,-./:;<=>?@[]^_{|}~"+alphabet64)) }},
		{"DNA", func(g *source) { g.printf("%s\n", g.chars(60, "ACGT")) }},
		{"URLs", func(g *source) {
			g.printf("https://%s.example.com/%s/%s?%s=%s&id=%d#%s\n", g.one(nouns), g.one(verbs), g.joined("-"), g.one(nouns), url.QueryEscape(g.phrase()), g.IntN(9999), g.one(nouns))
		}},
		{"percent encoding", func(g *source) {
			g.printf("%s", url.QueryEscape(`{"`+g.camel()+`": "Größe & Maß", "q": [`+g.one(nouns)+`]}`))
		}},
		{"escapes", func(g *source) { g.printf(`\u%04x\n\"%s\"\t\x%02x`, g.IntN(1<<16), g.one(nouns), g.IntN(256)) }},
	}
}
