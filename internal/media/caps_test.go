package media

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestHostOf(t *testing.T) {
	for _, tt := range []struct {
		provider, model string
		window          int64
		images          int
		encoded         int64
		side            int // in a request with 21 images
	}{
		{"anthropic", "claude-opus-4-5", 200_000, 100, 10_485_760, 2000},
		{"anthropic", "claude-opus-5", 1_000_000, 600, 10_485_760, 2000},
		{"bedrock-united-states", "us.anthropic.claude-opus-5", 1_000_000, 20, 5_242_880, 2000},
		{"vertexai", "claude-opus-4-5", 200_000, 100, 5_242_880, 2000},
		{"vertexai", "gemini-3-pro", 1_000_000, 3000, 9_786_709, 0},
		{"azure", "gpt-6", 400_000, 50, 0, 0},
		{"mistral", "mistral-large-2512", 256_000, 8, 13_981_013, 10_000},
		{"groq", "llama-4", 128_000, 0, 0, 0}, // its limit of five images is not documented
		{"somewhere", "x", 0, 0, 0, 0},
	} {
		c := HostOf(tt.provider, tt.model, tt.window).Caps
		if c.Images != tt.images || c.Encoded != tt.encoded || c.SideOf(21) != tt.side {
			t.Errorf("%s %s: %d images, %d characters, %d pixels, want %d, %d, %d", tt.provider, tt.model, c.Images, c.Encoded, c.SideOf(21), tt.images, tt.encoded, tt.side)
		}
	}
}

func TestAllows(t *testing.T) {
	claude := HostOf("anthropic", "claude-opus-4-5", 200_000).Caps
	gemini := HostOf("gemini", "gemini-3-pro", 1_000_000).Caps
	for _, tt := range []struct {
		name   string
		caps   Caps
		info   Info
		images int
		want   bool
	}{
		{"small", claude, Info{Type: PNG, Width: 100, Height: 100, Bytes: 1000}, 1, true},
		{"size not known", claude, Info{Type: PNG, Bytes: 1000}, 1, true},
		{"too wide", claude, Info{Type: PNG, Width: 8001, Height: 100, Bytes: 1000}, 1, false},
		{"too wide among many", claude, Info{Type: PNG, Width: 2001, Height: 100, Bytes: 1000}, 21, false},
		{"the same among few", claude, Info{Type: PNG, Width: 2001, Height: 100, Bytes: 1000}, 20, true},
		{"too long as base64", claude, Info{Type: PNG, Width: 10, Height: 10, Bytes: 7_864_321}, 1, false},
		{"just not", claude, Info{Type: PNG, Width: 10, Height: 10, Bytes: 7_864_320}, 1, true},
		{"HEIC at Claude", claude, Info{Type: HEIC, Bytes: 10}, 1, false},
		{"HEIC at Gemini", gemini, Info{Type: HEIC, Bytes: 10}, 1, true},
		{"GIF at Gemini", gemini, Info{Type: GIF, Bytes: 10}, 1, false},
		{"nothing known", Caps{}, Info{Type: PNG, Width: 1 << 20, Height: 1 << 20, Bytes: 1 << 40}, 99999, true},
	} {
		if got := tt.caps.Allows(tt.info, tt.images); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestExcess(t *testing.T) {
	ten := make([]Part, 10)
	for i := range ten {
		ten[i] = Part{Bytes: 100, Held: i == 1}
	}
	for _, tt := range []struct {
		name   string
		images int
		bytes  int64
		want   []int
	}{
		{"nothing known", 0, 0, nil},
		{"just within", 10, 1000, nil},
		{"one too many: to four fifths at once", 9, 0, []int{0, 2, 3}},
		{"bytes", 0, 999, []int{0, 2, 3}},
		{"both", 5, 999, []int{0, 2, 3, 4, 5, 6}},
		{"one alone is allowed", 1, 0, []int{0, 2, 3, 4, 5, 6, 7, 8, 9}}, // the held one is the one allowed
	} {
		if diff := cmp.Diff(tt.want, Excess(ten, tt.images, tt.bytes)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestExcessHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Part {
			return Part{Bytes: rapid.Int64Range(0, 1000).Draw(t, "bytes"), Held: rapid.IntRange(0, 4).Draw(t, "held") == 0}
		})).Draw(t, "parts")
		images, most := rapid.IntRange(0, 20).Draw(t, "images"), rapid.Int64Range(0, 5000).Draw(t, "most")
		gone := map[int]bool{}
		last := -1
		for _, i := range Excess(parts, images, most) {
			if i <= last || parts[i].Held {
				t.Fatalf("%d after %d, held %v", i, last, parts[i].Held)
			}
			gone[i], last = true, i
		}
		left, bytes, movable := 0, int64(0), false
		for i, p := range parts {
			if gone[i] {
				continue
			}
			left++
			bytes += p.Bytes
			movable = movable || !p.Held
			if !p.Held && i < last {
				t.Fatalf("%d stayed although it is older than %d", i, last)
			}
		}
		if movable && (images > 0 && left > images || most > 0 && bytes > most) {
			t.Fatalf("%d images of %d, %d bytes of %d, and some could still go", left, images, bytes, most)
		}
	})
}
