package texts

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// data are values in the formats of files, and what tools print.
func data() []Kind {
	return []Kind{
		{"JSON", func(g *source) { g.printf("%s", marshal(record(g), "")) }},
		{"JSON, indented", func(g *source) { g.printf("%s\n", marshal(record(g), "  ")) }},
		{"JSON, deep", func(g *source) { g.printf("%s\n", marshal(nest(record(g), 9), "    ")) }},
		{"JSON inside JSON", func(g *source) {
			g.printf("%s,", strconv.Quote(string(marshal(map[string]any{"arguments": string(marshal(record(g), ""))}, ""))))
		}},
		{"YAML", yaml}, {"XML", xml}, {"TOML", toml}, {"CSV", csv}, {"numbers in columns", numbers}, {"go.sum", goSum}, {"lock file", lockFile},
		{"log", logLine}, {"access log", accessLog}, {"stack trace", stackTrace}, {"compiler errors", compilerErrors}, {"test report", testReport},
		{"search results", func(g *source) {
			g.printf("%s:%d:\t%s := %s(%s)\n", g.path(), g.IntN(900), g.camel(), g.camel(), g.one(nouns))
		}},
		{"file with line numbers", func(g *source) {
			g.printf("%6d\t    %s = self.%s(%s)\n", g.IntN(2000), g.joined("_"), g.joined("_"), g.one(nouns))
		}},
		{"ls -l", func(g *source) {
			g.printf("-rw-r--r--  1 %s staff %8d Sep %2d %02d:%02d %s\n", g.one(nouns), g.IntN(1<<22), g.between(1, 30), g.IntN(24), g.IntN(60), g.joined("-"))
		}},
		{"coloured terminal", func(g *source) {
			g.printf("\x1b[%dm%s\x1b[0m \x1b[1;%dm%d%%\x1b[0m %s\n", g.between(30, 37), g.one(verbs), g.between(30, 37), g.IntN(100), g.path())
		}},
		{"Windows lines", func(g *source) { g.printf("%s: %s\r\n\r\n", title(g.one(nouns)), g.phrase()) }},
	}
}

func record(g *source) map[string]any {
	return map[string]any{"id": g.IntN(1 << 20), "name": g.joined("-"), "active": g.IntN(2) == 0, g.camel(): g.phrase(),
		"amount": float64(g.IntN(99999)) / 100, "tags": []string{g.one(nouns), g.one(adjectives)}, "path": g.path(), "createdAt": g.time(), "parent": nil}
}

func nest(v any, depth int) any {
	for i := range depth {
		v = map[string]any{[]string{"data", "items", "value"}[i%3]: []any{v}}
	}
	return v
}

func marshal(v any, indent string) []byte {
	var out []byte
	var err error
	if indent == "" {
		out, err = json.Marshal(v)
	} else {
		out, err = json.MarshalIndent(v, "", indent)
	}
	if err != nil {
		panic(err) // maps and strings always marshal
	}
	return out
}

func yaml(g *source) {
	g.printf("- name: %s\n  %s:\n    - %s: %d\n      enabled: %v\n      image: \"%s:%d.%d\"\n  %s: %s\n", g.joined("-"), g.camel(), g.one(nouns), g.IntN(9000), g.IntN(2) == 0, g.one(nouns), g.IntN(9), g.IntN(30), g.joined("_"), g.phrase())
}

func xml(g *source) {
	g.printf("    <%s id=\"%d\" type=\"%s\">\n      <%s>%s</%s>\n      <%s/>\n    </%s>\n", g.one(nouns), g.IntN(1000), g.one(adjectives), "dependency", g.joined("."), "dependency", g.camel(), g.one(nouns))
}

func toml(g *source) {
	g.printf("[%s.%s]\n%s = \"%s\"\n%s = %d\n%s = [\"%s\", \"%s\"]\n\n", g.one(nouns), g.one(nouns), g.joined("_"), g.phrase(), g.joined("_"), g.IntN(5000), g.joined("_"), g.one(nouns), g.one(nouns))
}

func csv(g *source) {
	g.printf("%d,%s,%s,%.2f,%s,%s@example.com,%v\n", g.IntN(1<<20), title(g.one(nouns)), g.time()[:10], float64(g.IntN(1<<20))/100, g.one(adjectives), g.one(nouns), g.IntN(2) == 0)
}

func numbers(g *source) {
	g.printf("%10.4f %10.4f %12d %8.2e\n", g.Float64()*1000, g.Float64()*1000, g.IntN(1<<30), g.Float64())
}

func goSum(g *source) {
	g.printf("github.com/%s/%s v%d.%d.%d h1:%s=\n", g.one(nouns), g.joined("-"), g.IntN(4), g.IntN(30), g.IntN(20), g.chars(43, alphabet64))
}

func lockFile(g *source) {
	g.printf("    \"node_modules/%s\": {\n      \"version\": \"%d.%d.%d\",\n      \"integrity\": \"sha512-%s==\"\n    },\n", g.joined("-"), g.IntN(20), g.IntN(20), g.IntN(20), g.chars(86, alphabet64))
}

func logLine(g *source) {
	g.printf("%s %-5s [%s-%d] %s - %s %s in %dms (id=%s)\n", g.time(), g.one(strings.Fields("INFO WARN ERROR DEBUG")), g.one(nouns), g.IntN(32), g.joined("."), title(g.one(verbs)), g.phrase(), g.IntN(3000), g.chars(8, "0123456789abcdef"))
}

func accessLog(g *source) {
	g.printf("%d.%d.%d.%d - - [%02d/Sep/2026:%02d:%02d:%02d +0000] \"GET /%s/%s/%d HTTP/1.1\" %d %d \"-\" \"Mozilla/5.0 (X11; Linux x86_64)\"\n",
		g.IntN(256), g.IntN(256), g.IntN(256), g.IntN(256), g.between(1, 30), g.IntN(24), g.IntN(60), g.IntN(60), g.one(nouns), g.one(verbs), g.IntN(9999), g.between(200, 504), g.IntN(99999))
}

func stackTrace(g *source) {
	g.printf("java.lang.IllegalStateException: cannot %s %s\n", g.one(verbs), g.phrase())
	for range g.between(4, 9) {
		g.printf("\tat com.example.%s.%s.%s$%s.%s(%s.java:%d)\n", g.one(nouns), g.one(nouns), g.pascal(), g.pascal(), g.camel(), g.pascal(), g.IntN(900))
	}
}

func compilerErrors(g *source) {
	g.printf("%s:%d:%d: error: cannot use %s (variable of type *%s) as %s value in argument to %s\n", g.path(), g.IntN(900), g.IntN(80), g.camel(), g.pascal(), g.pascal(), g.camel())
}

func testReport(g *source) {
	g.printf("=== RUN   Test%s/%s\n--- PASS: Test%s/%s (0.%02ds)\n", g.pascal(), g.joined("_"), g.pascal(), g.joined("_"), g.IntN(100))
	if g.IntN(6) == 0 {
		g.printf("%s\nok  \tgithub.com/example/%s\t%d.%03ds\n", strings.Repeat("=", 60), g.one(nouns), g.IntN(9), g.IntN(1000))
	}
}

func uuid(g *source) string {
	b := g.bytes(16)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
