package media

import (
	"slices"
	"strconv"
	"strings"
)

// family names the models that count images by a rule. The sources are in
// docs/media.md.
type family struct {
	prefix string // of the model's name, without its maker
	rule   rule
}

var (
	standard = squares{edge: 1568, most: 1568} // Claude before 4.7
	highRes  = squares{edge: 2576, most: 4784} // Claude 4.7 and later

	high    = allowed{2048, 2500}
	tiny    = allowed{512, 0}
	large   = allowed{2048, 6144}
	free    = allowed{65535, 30000} // an image with more patches is refused, so it is shrunk first
	gpt6    = patches{120, tiny, allowed{65535, 2500}, free, &free}
	gpt56   = patches{120, tiny, high, free, &free}
	gpt55   = patches{120, tiny, high, allowed{6000, 10000}, &allowed{6000, 10000}}
	gpt54   = patches{120, large, high, allowed{6000, 10000}, nil}
	gpt52   = patches{120, large, large, large, nil}
	gpt41m  = patches{162, large, large, large, nil}
	old     = allowed{2048, 1536}
	gpt5    = tiles{70, 140}
	gpt4o   = tiles{85, 170}
	o1      = tiles{75, 150}
	mistral = area{1540, 784}
)

// families are searched from the top: of two prefixes the longer comes first.
var families = []family{
	{"gpt-6", gpt6}, // astra; the others of 6 are not in the vendor's table and assumed alike
	{"gpt-5.6", gpt56},
	{"gpt-5.5", gpt55},
	{"gpt-5.4", gpt54},
	{"gpt-5.3", gpt52}, // not in the vendor's table, assumed like the one before
	{"gpt-5.2", gpt52},
	{"gpt-5.1", gpt5},
	{"gpt-5-mini", patches{120, old, old, old, nil}},
	{"gpt-5-nano", patches{150, old, old, old, nil}},
	{"gpt-5", gpt5},
	{"gpt-4.1-mini", gpt41m},
	{"gpt-4.1-nano", patches{246, old, old, old, nil}},
	{"gpt-4.", gpt4o},
	{"gpt-4o-mini", tiles{2833, 5667}},
	{"gpt-4o", gpt4o},
	{"chatgpt-4o", gpt4o},
	{"o4-mini", patches{172, old, old, old, nil}},
	{"o1", o1},
	{"o3", o1},
	{"computer-use-preview", tiles{65, 129}},
	{"gemini-1.5", crops{}},
	{"gemini-2", crops{}},
	{"gemini-3", grid{}},
	{"gemini-4", grid{}},
	{"pixtral", area{1024, 256}},
	{"mistral-large", mistral},
	{"mistral-medium", mistral},
	{"mistral-small", mistral},
	{"ministral", mistral},
}

// familyOf finds the rule of a model by its name, also after the prefixes of
// routers and regions; nil: unknown.
func familyOf(model string) rule {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	if i := strings.Index(name, "claude"); i >= 0 {
		return claude(name[i:])
	}
	i := slices.IndexFunc(families, func(f family) bool { return strings.HasPrefix(name, f.prefix) })
	if i < 0 {
		return nil
	}
	return families[i].rule
}

// claude finds the tier from the version: claude-opus-4-7, claude-opus-4.7,
// claude-3-5-sonnet-20241022, claude-opus-5.
func claude(name string) rule {
	var version []int
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '.' || r == '@' || r == ':' }) {
		n, err := strconv.Atoi(part)
		switch {
		case err == nil && n < 100 && len(version) < 2:
			version = append(version, n)
			continue
		case len(version) == 0:
			continue
		}
		break
	}
	switch {
	case len(version) == 0:
		return nil
	case version[0] > 4 || version[0] == 4 && len(version) == 2 && version[1] >= 7:
		return highRes
	}
	return standard
}
