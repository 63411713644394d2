package weigh

// script is a range of characters that vocabularies treat alike. Its ends are
// multiples of 16, as those of Unicode's blocks are.
type script struct {
	name        string
	first, last rune
	letters     bool // one that follows a letter is often in the same token
}

// scripts cover all that is not ASCII. Of ranges that overlap the later counts.
var scripts = []script{
	{"symbols of Latin-1", 0x80, 0xBF, false},
	{"letters of Latin-1", 0xC0, 0xFF, true},
	{"Latin, extended", 0x100, 0x24F, true},
	{"phonetic letters", 0x250, 0x2FF, true},
	{"combining marks", 0x300, 0x36F, true},
	{"Greek", 0x370, 0x3FF, true},
	{"Cyrillic", 0x400, 0x44F, true},
	{"Cyrillic, not Russian", 0x450, 0x52F, true},
	{"Armenian", 0x530, 0x58F, true},
	{"Hebrew", 0x590, 0x5FF, true},
	{"Arabic", 0x600, 0x65F, true},
	{"Arabic, other languages", 0x660, 0x77F, true},
	{"Syriac to Samaritan", 0x780, 0x8FF, true},
	{"Devanagari", 0x900, 0x97F, true},
	{"Bengali", 0x980, 0x9FF, true},
	{"Gurmukhi", 0xA00, 0xA7F, true},
	{"Gujarati", 0xA80, 0xAFF, true},
	{"Oriya", 0xB00, 0xB7F, true},
	{"Tamil", 0xB80, 0xBFF, true},
	{"Telugu", 0xC00, 0xC7F, true},
	{"Kannada", 0xC80, 0xCFF, true},
	{"Malayalam", 0xD00, 0xD7F, true},
	{"Sinhala", 0xD80, 0xDFF, true},
	{"Thai", 0xE00, 0xE7F, true},
	{"Lao", 0xE80, 0xEFF, true},
	{"Tibetan", 0xF00, 0xFFF, true},
	{"Burmese", 0x1000, 0x109F, true},
	{"Georgian", 0x10A0, 0x10FF, true},
	{"Hangul, parts", 0x1100, 0x11FF, true},
	{"Ethiopic to Tagalog", 0x1200, 0x177F, true},
	{"Khmer", 0x1780, 0x17FF, true},
	{"Mongolian to Vedic", 0x1800, 0x1DFF, true},
	{"Latin, Vietnamese", 0x1E00, 0x1EFF, true},
	{"Greek, ancient", 0x1F00, 0x1FFF, true},
	{"punctuation", 0x2000, 0x206F, false},
	{"raised digits, currencies", 0x2070, 0x20FF, false},
	{"letters as symbols", 0x2100, 0x218F, false},
	{"arrows", 0x2190, 0x21FF, false},
	{"maths", 0x2200, 0x22FF, false},
	{"technical", 0x2300, 0x245F, false},
	{"enclosed letters", 0x2460, 0x24FF, false},
	{"box drawing", 0x2500, 0x257F, false},
	{"block elements", 0x2580, 0x259F, false},
	{"geometric shapes", 0x25A0, 0x25FF, false},
	{"dingbats", 0x2600, 0x27BF, false},
	{"maths, rare", 0x27C0, 0x27FF, false},
	{"Braille", 0x2800, 0x28FF, false},
	{"arrows, rare", 0x2900, 0x2BFF, false},
	{"Glagolitic to Kangxi", 0x2C00, 0x2FFF, false},
	{"punctuation of CJK", 0x3000, 0x303F, false},
	{"kana", 0x3040, 0x30FF, true},
	{"CJK, compatibility", 0x3100, 0x33FF, true},
	{"Han, rare", 0x3400, 0x4DFF, true},
	{"Han", 0x4E00, 0x9FFF, true},
	{"Yi to Cherokee", 0xA000, 0xABFF, true},
	{"Hangul", 0xAC00, 0xD7FF, true},
	{"private use", 0xE000, 0xF8FF, false},
	{"Han, compatibility", 0xF900, 0xFAFF, true},
	{"presentation forms", 0xFB00, 0xFDFF, true},
	{"variation selectors", 0xFE00, 0xFE2F, false},
	{"small forms", 0xFE30, 0xFEFF, true},
	{"full width forms", 0xFF00, 0xFFEF, true},
	{"replacement characters", 0xFFF0, 0xFFFF, false},
	{"scripts of antiquity", 0x10000, 0x1CFFF, true},
	{"music, letters for maths", 0x1D000, 0x1EFFF, false},
	{"flags, tiles", 0x1F000, 0x1F2FF, false},
	{"emoji", 0x1F300, 0x1FAFF, false},
	{"symbols of old computers", 0x1FB00, 0x1FFFF, false},
	{"Han, extensions", 0x20000, 0x3FFFF, true},
	{"tags, private planes", 0x40000, 0x10FFFF, false},
	{"lines of tables", 0, -1, false},
	{"symbols in common use", 0, -1, false},
	{"without width", 0, -1, false},
}

// Three scripts are sets of characters between U+2000 and U+27FF: two that most
// vocabularies hold whole, and one of marks that are seldom next to each other. They
// are the last three.
const (
	tableLines    = "─│┌┐└┘├┤┬┴┼═║━┃"
	commonSymbols = "—–‘’“”•…→←↑↓⇒≤≥≠≈∞√∑−■□▪▶▼▲●○★✓✔✗✘❌✅⚠№™€\u2028"
	zeroWidth     = "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069"
)

const (
	pageSize   = 16
	pagedEnd   = 0x20000 // above it two scripts are left
	symbolsAt  = 0x2000
	symbolsEnd = 0x2800
)

// pages gives the script of sixteen characters at once, symbols that of each
// character from U+2000 on.
var (
	pages   [pagedEnd / pageSize]uint8
	symbols [symbolsEnd - symbolsAt]uint8
)

func init() {
	for i, s := range scripts {
		for p := s.first / pageSize; p <= s.last/pageSize && p < int32(len(pages)); p++ {
			pages[p] = uint8(i)
		}
		for r := max(s.first, symbolsAt); r <= s.last && r < symbolsEnd; r++ {
			symbols[r-symbolsAt] = uint8(i)
		}
	}
	for i, set := range []string{tableLines, commonSymbols, zeroWidth} {
		for _, r := range set {
			symbols[r-symbolsAt] = uint8(len(scripts) - 3 + i)
		}
	}
}

// scriptOf is the index in scripts of a character that is not ASCII.
func scriptOf(r rune) uint8 {
	switch {
	case r >= symbolsAt && r < symbolsEnd:
		return symbols[r-symbolsAt]
	case r < pagedEnd:
		return pages[r/pageSize]
	case r < 0x40000:
		return uint8(len(scripts) - 5)
	}
	return uint8(len(scripts) - 4)
}
