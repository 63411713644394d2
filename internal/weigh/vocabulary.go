package weigh

import "strings"

// Vocabulary is a family of tokenizers. They differ little in ASCII and much
// in the scripts that they hold words of.
type Vocabulary uint8

// The vocabularies that weights are known of.
const (
	Unknown Vocabulary = iota // between the two, nearer to O200K
	O200K                     // since 2024: words of most living languages
	CL100K                    // before: words of English, and of little else
)

// weight is what a character of a script costs, by vocabulary: the first of a
// word or a symbol, and what follows it in the word or repeats it.
type weight struct{ first, more [3]uint16 }

// VocabularyOf finds a model's vocabulary by its name, also after a router's prefix.
func VocabularyOf(id string) Vocabulary {
	id = strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	for _, v := range []struct {
		prefix string
		Vocabulary
	}{
		{"gpt-4o", O200K}, {"gpt-4.", O200K}, {"gpt-4", CL100K}, {"gpt-3.5", CL100K}, {"gpt-35", CL100K}, {"gpt-", O200K}, {"chatgpt-", O200K},
		{"o1", O200K}, {"o3", O200K}, {"o4-", O200K}, {"codex-", O200K},
	} {
		if strings.HasPrefix(id, v.prefix) {
			return v.Vocabulary
		}
	}
	return Unknown
}
