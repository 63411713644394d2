package texts

import (
	_ "embed"
	"strings"
)

//go:embed languages.txt
var sentences string

// languages are natural languages, one kind each, and forms of English.
func languages() []Kind {
	var kinds []Kind
	var english []string
	for part := range strings.SplitSeq(sentences, "# ") {
		name, rest, _ := strings.Cut(part, "\n")
		if name == "" {
			continue
		}
		lines := strings.Split(strings.TrimSpace(rest), "\n")
		if name == "English" {
			english = lines
		}
		space := " "
		if strings.Contains("Thai Chinese Traditional Chinese Japanese", name) {
			space = ""
		}
		kinds = append(kinds, Kind{name, func(g *source) { g.printf("%s%s", g.one(lines), space) }})
	}
	return append(kinds,
		Kind{"English in capitals", func(g *source) { g.printf("%s ", strings.ToUpper(g.one(english))) }},
		Kind{"Markdown", markdown},
		Kind{"words at random", func(g *source) { g.printf("%s ", g.one([]string{g.one(nouns), g.one(verbs), g.one(adjectives)})) }},
	)
}

func markdown(g *source) {
	switch g.IntN(5) {
	case 0:
		g.printf("\n## %s %s\n\n", title(g.one(adjectives)), g.one(nouns))
	case 1:
		g.printf("- **%s**: %s (`%s`)\n", g.one(nouns), g.phrase(), g.path())
	case 2:
		g.printf("| %s | %s | %d |\n", g.one(nouns), g.phrase(), g.IntN(1000))
	case 3:
		g.printf("\n```go\n%s := %s(ctx, %q)\n```\n", g.camel(), g.camel(), g.one(nouns))
	default:
		g.printf("See [%s](docs/%s.md) for %s, which does not %s %s.\n", g.one(nouns), g.one(nouns), g.phrase(), g.one(verbs), g.phrase())
	}
}
