package texts

import (
	"strings"
	"unicode"
)

// shapes are runs of one character, drawings and symbols.
func shapes() []Kind {
	return []Kind{
		{"separators of =", func(g *source) { g.printf("%s\nPASS test %d.%d\n", strings.Repeat("=", 100), g.IntN(99), g.IntN(9)) }},
		{"separators of -", func(g *source) { g.printf("%s\n%s\n", strings.Repeat("-", g.between(20, 120)), g.phrase()) }},
		{"separators of many kinds", func(g *source) {
			g.printf("%s %s\n", strings.Repeat(g.chars(1, "*#~_+.=-"), g.between(10, 80)), g.one(nouns))
		}},
		{"separators of ─", func(g *source) { g.printf("%s\n %s\n", strings.Repeat("─", g.between(40, 120)), g.phrase()) }},
		{"spaces", func(g *source) { g.printf("%s%s\n", strings.Repeat(" ", g.between(10, 150)), g.one(nouns)) }},
		{"tabs", func(g *source) { g.printf("%s%s\n", strings.Repeat("\t", g.between(1, 12)), g.one(nouns)) }},
		{"blank lines", func(g *source) { g.printf("%s%s", g.one(nouns), strings.Repeat("\n", g.between(1, 20))) }},
		{"one letter again and again", func(g *source) { g.printf("%s ", strings.Repeat(g.chars(1, lower), g.between(20, 200))) }},
		{"zeros", func(g *source) { g.printf("%s ", strings.Repeat("0", g.between(20, 200))) }},
		{"progress bars", func(g *source) {
			n := g.IntN(40)
			g.printf("\r[%s>%s] %d%% %d/%d", strings.Repeat("=", n), strings.Repeat(" ", 40-n), n*5/2, n, 40)
		}},
		{"progress in blocks", func(g *source) {
			n := g.IntN(40)
			g.printf("%3d%%|%s%s| %d/40\n", n*5/2, strings.Repeat("█", n), strings.Repeat("░", 40-n), n)
		}},
		{"table of pipes", func(g *source) {
			g.printf("| %-20s | %8d | %-12s |\n|%s|%s|%s|\n", g.joined(" "), g.IntN(99999), g.one(adjectives), strings.Repeat("-", 22), strings.Repeat("-", 10), strings.Repeat("-", 14))
		}},
		{"table of box drawing", func(g *source) {
			g.printf("├%s┼%s┤\n│ %-18s │ %8d │\n", strings.Repeat("─", 20), strings.Repeat("─", 10), g.joined(" "), g.IntN(99999))
		}},
		{"tree", func(g *source) {
			g.printf("%s%s %s\n", strings.Repeat("│   ", g.IntN(4)), g.one([]string{"├──", "└──"}), g.joined("_"))
		}},
		{"ASCII art", func(g *source) { g.printf("%s\n", g.chars(60, `   /\_|()<>-`)) }},
		{"emoji", func(g *source) {
			g.printf("%s", g.chars(10, "😀😃😄🎉🚀🔥✨👍🙏💡📦🐛🤖🧪🎯🌍🍕🦊🐳🛠📝🔍⚡💥🏁🎨"))
		}},
		{"emoji in prose", func(g *source) {
			g.printf("%s %s %s ✅\n", g.chars(1, "🚀🔥✨📦🐛🎉"), g.phrase(), g.one(verbs))
		}},
		{"emoji sequences", func(g *source) {
			g.printf("%s", g.one([]string{"👨‍👩‍👧‍👦", "👩🏽‍💻", "🧑‍🚀", "🏳️‍🌈", "👨🏿‍🔬", "❤️‍🔥", "🤦🏼‍♂️", "👋🏻"}))
		}},
		{"flags", func(g *source) {
			g.printf("%s ", g.one([]string{"🇩🇪", "🇫🇷", "🇯🇵", "🇺🇸", "🇧🇷", "🇮🇳", "🇰🇷", "🇿🇦"}))
		}},
		{"maths", func(g *source) {
			g.printf("%s ", g.one([]string{"∀x∈ℝ: ⌈x⌉ = −⌊−x⌋,", "α ∧ ¬β = ¬(¬α ∨ β);", "∑ᵢ xᵢ² ≤ ∫₀^∞ e⁻ᵗ dt,", "A ⊂ B ⇒ A ∩ B = A.", "∂f/∂x ≠ ∇·F ≈ √2", "θ → ∞, ±ε ∝ λ"}))
		}},
		{"arrows and quotes", func(g *source) {
			g.printf("%s → “%s” … ‘%s’ — • %s\n", g.one(nouns), g.phrase(), g.one(verbs), g.one(adjectives))
		}},
		{"Braille spinner", func(g *source) { g.printf("\r%s %s", g.chars(1, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"), g.one(verbs)) }},
		{"symbols in common use", func(g *source) {
			g.printf("%s %s ", g.chars(1, "→←↑↓⇒•…–—“”‘’✓✗✔✅❌⚠×°±§©®™€£·«»├└│▶●■□★▼"), g.one(nouns))
		}},
		{"rare symbols", rareSymbols}, {"any characters of ASCII", anyASCII}, {"runs of any character", anyRuns},
		{"broken characters", func(g *source) { g.printf("%s %s", strings.Repeat("\ufffd", g.between(1, 9)), g.one(nouns)) }},
	}
}

// rareSymbols is a line of characters from one block of symbols.
func rareSymbols(g *source) {
	blocks := []rune{0x2000, 0x2030, 0x2070, 0x20A0, 0x2100, 0x2150, 0x2190, 0x2200, 0x2280, 0x2300, 0x2380, 0x2460, 0x2500, 0x2580, 0x25A0, 0x2600, 0x2680,
		0x2700, 0x2780, 0x27C0, 0x2800, 0x2900, 0x2980, 0x2A00, 0x2B00, 0x3000, 0xFE00, 0xFF00, 0x1D400, 0x1F000, 0x1F100, 0x1F900}
	first := blocks[g.IntN(len(blocks))]
	for range 12 {
		r := first + rune(g.IntN(0x40))
		if !unicode.IsGraphic(r) {
			continue
		}
		g.printf("%c", r)
		if g.IntN(3) == 0 {
			g.printf(" %s ", g.one(nouns))
		}
	}
	g.printf("\n")
}

// anyASCII is a line of characters from a randomly drawn alphabet.
func anyASCII(g *source) {
	var alphabet strings.Builder
	for alphabet.Len() < 2 {
		for _, set := range []string{lower, strings.ToUpper(lower), "0123456789", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " "} {
			if g.IntN(2) == 0 {
				alphabet.WriteString(g.chars(1+g.IntN(len(set)), set))
			}
		}
	}
	g.printf("%s\n", g.chars(g.between(100, 600), alphabet.String()))
}

// anyRuns are runs with a few other characters between them.
func anyRuns(g *source) {
	const all = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" + alphabet64
	longest := g.between(2, 80)
	for range 8 {
		g.printf("%s%s", strings.Repeat(g.chars(1, all), g.between(1, longest)), g.chars(g.IntN(4), all))
	}
	g.printf("\n")
}
