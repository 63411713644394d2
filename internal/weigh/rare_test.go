package weigh

import (
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// Characters that hardly any text has cost what tokenizers count, not nothing: icons
// of terminal fonts, tags, marks without width.
func TestRareCharacters(t *testing.T) {
	texts := map[string]string{"icons": strings.Repeat("\ue0b0\uf115", 500), "an icon": strings.Repeat("\ue0b0", 800), "icons in a prompt": strings.Repeat("\uf115 main \ue0b0 ~/src ", 200),
		"tags": strings.Repeat("\U000e0041\U000e0042", 400), "joined": strings.Repeat("\u2060\u200d", 400), "marks of direction": strings.Repeat("\u202a\u202c", 400),
		"word breaks": strings.Repeat("word\u200b", 400), "joiners alone": strings.Repeat("\u200d", 800)}
	for _, name := range []string{"Hangul, parts", "Greek, ancient", "Glagolitic to Kangxi", "CJK, compatibility", "Han, rare", "Yi to Cherokee", "private use", "Han, compatibility",
		"presentation forms", "symbols of old computers", "tags, private planes", "combining marks", "phonetic letters"} {
		i := slices.IndexFunc(scripts, func(s script) bool { return s.name == name })
		texts[name] = draw(scripts[i], false)
		texts["one of "+name] = draw(scripts[i], true)
	}
	for v, e := range map[Vocabulary]tokenizer.Encoding{O200K: tokenizer.O200kBase, CL100K: tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(e)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range texts {
			n, err := codec.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			c := Counter{Vocabulary: v}
			c.AddString(text)
			if ratio := float64(c.Total()) / float64(n); ratio < 0.6 || ratio > 1.6 {
				t.Errorf("%s, vocabulary %d: estimated %d of %d tokens, %.2f", name, v, c.Total(), n, ratio)
			}
		}
	}
}
