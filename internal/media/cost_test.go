package media

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Examples from the vendors' pages, and measured numbers (docs/media.md).
var sizes = [][2]int{{64, 64}, {512, 512}, {1024, 768}, {1568, 1568}, {3000, 2000}, {4000, 4000}}

func TestTokensOfTheTables(t *testing.T) {
	for _, row := range []struct {
		model, detail string
		want          [6]int64
	}{
		{"claude-opus-4-5", "", [6]int64{9, 361, 1036, 1521, 1536, 1521}},
		{"claude-haiku-4-5-20251001", "", [6]int64{9, 361, 1036, 1521, 1536, 1521}},
		{"claude-opus-4-7", "", [6]int64{9, 361, 1036, 3136, 4704, 4761}},
		{"gpt-4o", "", [6]int64{255, 255, 765, 765, 1105, 765}},
		{"gpt-4.1", "high", [6]int64{255, 255, 765, 765, 1105, 765}},
		{"gpt-5.1", "", [6]int64{210, 210, 630, 630, 910, 630}},
		{"gpt-5-codex", "auto", [6]int64{210, 210, 630, 630, 910, 630}},
		{"o3", "", [6]int64{225, 225, 675, 675, 975, 675}},
		{"gpt-4o-mini", "", [6]int64{8500, 8500, 25501, 25501, 36835, 25501}},
		{"gpt-6-astra", "auto", [6]int64{5, 308, 922, 2882, 7107, 18750}},
		{"gpt-5.6-sol", "", [6]int64{5, 308, 922, 2882, 7107, 18750}},
		{"gpt-5.5", "original", [6]int64{5, 308, 922, 2882, 7107, 12000}},
		{"gpt-5.5", "low", [6]int64{5, 308, 231, 308, 212, 308}},
		{"gpt-5.5", "high", [6]int64{5, 308, 922, 2882, 2880, 3000}},
		{"gpt-5.4-mini", "", [6]int64{5, 308, 922, 2882, 2880, 3000}},
		{"gpt-5.2", "low", [6]int64{5, 308, 922, 2882, 3303, 4916}},
		{"gpt-4.1-mini", "", [6]int64{7, 415, 1245, 3890, 4459, 6636}},
		{"gemini-2.5-pro", "", [6]int64{258, 1032, 1032, 2322, 3096, 9288}},
		{"gemini-3-pro-preview", "", [6]int64{1089, 1089, 1064, 1089, 1080, 1089}},
		{"grok-4", "", [6]int64{Unknown, Unknown, Unknown, Unknown, Unknown, Unknown}},
	} {
		for i, want := range row.want {
			if got := Tokens(row.model, sizes[i][0], sizes[i][1], row.detail); got != want {
				t.Errorf("%s %q %v: %d tokens, want %d", row.model, row.detail, sizes[i], got, want)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		model, detail string
		w, h          int
		want          int64
	}{
		// Claude: the page's own examples, and what was measured.
		{"claude-opus-4-5", "", 200, 200, 64},
		{"claude-opus-4-5", "", 1000, 1000, 1296},
		{"claude-opus-4-5", "", 1092, 1092, 1521},
		{"claude-opus-4-5", "", 1920, 1080, 1560},
		{"claude-opus-4-5", "", 1075, 1520, 1551},
		{"claude-opus-4-5", "", 3840, 2160, 1560},
		{"claude-haiku-4-5", "", 4032, 3024, 1564},
		{"claude-fable-5-2", "", 1920, 1080, 2691},
		{"claude-fable-5-2", "", 3840, 2160, 4784},
		{"claude-opus-5-5", "", 1932, 1932, 4761},
		{"claude-opus-5-5", "", 1933, 1933, 4761},
		{"claude-opus-5-5", "", 1, 1, 1},
		// OpenAI: the page's examples, and a third party's.
		{"gpt-6-astra", "high", 2048, 2048, 3000},
		{"gpt-6-astra", "high", 1024, 1024, 1229},
		{"gpt-6-astra", "high", 4096, 512, 2458},
		{"gpt-6-astra", "", 4032, 3024, 14364},
		{"gpt-5.5", "", 4032, 3024, 11868},
		{"gpt-6-astra", "high", 4032, 3024, 2942},
		{"gpt-6-astra", "", 1920, 1080, 2448},
		{"gpt-6-astra", "", 9000, 9000, 35915}, // larger ones are refused, so it is first shrunk to 173×173 patches
		{"gpt-5.4", "low", 1024, 768, 922},     // low is not cheap there
		{"gpt-4o", "low", 4000, 4000, 85},
		// Gemini.
		{"gemini-2.5-flash", "", 384, 384, 258},
		{"gemini-2.5-flash", "", 960, 540, 1548},
		{"gemini-3.1-pro-preview", "", 256, 256, 1089},
		{"gemini-3-flash-preview", "", 1280, 720, 1100},
		{"gemini-3-flash-preview", "low", 1000, 1000, 256},
		{"gemini-3-flash-preview", "", 100_000, 1, 1120}, // a line is a grid of one row
		// Mistral: a token for 784 pixels, at most about 3,025.
		{"mistral-large-2512", "", 1540, 1540, 3025},
		{"mistral-large-2512", "", 4000, 4000, 3025},
		{"pixtral-large-2502", "", 5000, 5000, 4096},
		// Nothing known.
		{"", "", 800, 600, Unknown},
		{"claude-opus-4-7", "", 0, 0, Unknown},
	} {
		if got := Tokens(tt.model, tt.w, tt.h, tt.detail); got != tt.want {
			t.Errorf("%s %q %d×%d: %d tokens, want %d", tt.model, tt.detail, tt.w, tt.h, got, tt.want)
		}
	}
}

func TestSeen(t *testing.T) {
	for _, tt := range []struct {
		model, detail string
		w, h          int
		wantW, wantH  int
	}{
		{"claude-opus-4-5", "", 1568, 1568, 1092, 1092},
		{"claude-opus-4-5", "", 3000, 2000, 1344, 896},
		{"claude-opus-4-5", "", 1075, 1520, 924, 1307},
		{"claude-opus-4-5", "", 3840, 2160, 1456, 819},
		{"claude-opus-4-7", "", 3000, 2000, 2352, 1568},
		{"claude-opus-4-7", "", 4000, 4000, 1932, 1932},
		{"claude-opus-4-7", "", 3840, 2160, 2576, 1449},
		{"claude-opus-4-7", "", 640, 480, 640, 480},
		{"gpt-6-astra", "", 4000, 4000, 4000, 4000},
		{"gpt-5.4", "", 4000, 4000, 1600, 1600},
		{"gemini-3-pro", "", 4000, 4000, 4000, 4000},
		{"grok-4", "", 4000, 4000, 4000, 4000},
	} {
		if w, h := Seen(tt.model, tt.w, tt.h, tt.detail); w != tt.wantW || h != tt.wantH {
			t.Errorf("%s %d×%d: seen as %d×%d, want %d×%d", tt.model, tt.w, tt.h, w, h, tt.wantW, tt.wantH)
		}
	}
}

func TestFamilyOfClaude(t *testing.T) {
	for name, want := range map[string]rule{
		"claude-3-5-sonnet-20241022": standard, "claude-3-opus": standard, "claude-sonnet-4": standard, "claude-opus-4-20250514": standard,
		"us.anthropic.claude-opus-4-6-v1": standard, "claude-sonnet-4-5@20250929": standard, "anthropic/claude-haiku-4.5": standard,
		"claude-opus-4.7": highRes, "claude-opus-4-8": highRes, "us.anthropic.claude-opus-4-7": highRes, "claude-sonnet-5": highRes,
		"anthropic/claude-opus-5-fast": highRes, "claude-mythos-5-2": highRes, "claude-opus-4-7-v1:0": highRes, "claude": nil,
	} {
		if got := familyOf(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// The table in the docs has the numbers of the code.
func TestDocumentedTokens(t *testing.T) {
	page, err := os.ReadFile("../../docs/media.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- image-tokens -->\n")
	table, _, _ = strings.Cut(table, "<!-- /image-tokens -->")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) < 10 {
		t.Fatalf("a table of %d rows", len(rows))
	}
	for _, row := range rows[2:] {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		for i, s := range sizes {
			if want := strconv.FormatInt(Tokens(cells[0], s[0], s[1], ""), 10); cells[i+1] != want {
				t.Errorf("%s, %v: %s on the page, %s by the code", cells[0], s, cells[i+1], want)
			}
		}
	}
}
