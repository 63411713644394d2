package provider

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/lazy"
)

//go:embed phrases.txt
var phrasesText string

// phrase is a pattern with a real text that it matches.
type phrase struct{ pattern, witness string }

// phraseBlock is a block of the data file.
type phraseBlock struct {
	name    string
	phrases []phrase
}

// phraseBlocks are those of the data file, read when they are first needed.
var phraseBlocks = sync.OnceValue(func() []phraseBlock {
	blocks, err := parsePhrases(phrasesText)
	if err != nil {
		panic(fmt.Sprintf("provider: phrases.txt: %v", err)) // it is part of the program
	}
	return blocks
})

func parsePhrases(text string) ([]phraseBlock, error) {
	var blocks []phraseBlock
	defined := []string{}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		n, indented := i+1, strings.HasPrefix(line, "    ")
		line = strings.TrimSpace(line)
		switch last := len(blocks) - 1; {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !indented:
			blocks = append(blocks, phraseBlock{name: strings.Trim(line, "[]")})
		case last < 0:
			return nil, fmt.Errorf("line %d is before the first block", n)
		case blocks[last].name == "define":
			name, pattern, ok := strings.Cut(line, " = ")
			if !ok {
				return nil, fmt.Errorf("line %d defines nothing", n)
			}
			defined = append(defined, "{"+name+"}", pattern)
		case !indented:
			blocks[last].phrases = append(blocks[last].phrases, phrase{pattern: strings.NewReplacer(defined...).Replace(line)})
		default:
			at := len(blocks[last].phrases) - 1
			if at < 0 || blocks[last].phrases[at].witness != "" {
				return nil, fmt.Errorf("line %d is a witness without a phrase", n)
			}
			blocks[last].phrases[at].witness = line
		}
	}
	return blocks, nil
}

// says is a block's patterns as one expression, compiled when first needed.
func says(block string) func() *regexp.Regexp { return lazy.Made(block, blockPattern) }

func blockPattern(name string) string {
	for _, b := range phraseBlocks() {
		if b.name != name {
			continue
		}
		all := make([]string, len(b.phrases))
		for i, p := range b.phrases {
			all[i] = "(?:" + p.pattern + ")"
		}
		return strings.Join(all, "|")
	}
	panic("provider: phrases.txt has no block " + name) // it is part of the program
}
