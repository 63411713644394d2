package weigh

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/texts"
	"pgregory.net/rapid"
)

// anyText draws texts of the kinds that a Counter distinguishes, broken ones too.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				b.WriteString(strings.Repeat(rapid.SampledFrom([]string{"=", " ", "\n", "a", "─", "я", "漢", "🎉", "\xe2", "\x00"}).Draw(t, "of"), rapid.IntRange(1, 30).Draw(t, "times")))
			case 1:
				b.WriteString(rapid.String().Draw(t, "string"))
			case 2:
				b.WriteString(rapid.StringMatching(`[a-z0-9 (){}=-]{0,40}`).Draw(t, "ascii"))
			case 3:
				b.Write(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
			case 4:
				k := rapid.SampledFrom(texts.All()).Draw(t, "text")
				b.WriteString(k.Text(1)[:rapid.IntRange(0, 300).Draw(t, "length")])
			}
		}
		return b.String()
	})
}

// tokensOf is the estimate of a text by itself.
func tokensOf(v Vocabulary, text string) int64 {
	c := Counter{Vocabulary: v}
	c.AddString(text)
	return c.Total()
}

func TestHoweverATextIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		v := Vocabulary(rapid.IntRange(0, 2).Draw(t, "vocabulary"))
		whole, pieces := Counter{Vocabulary: v}, Counter{Vocabulary: v}
		whole.AddString(text)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 20)).Draw(t, "piece")
			pieces.Add([]byte(rest[:n]))
			rest = rest[n:]
			pieces.Total() // asking changes nothing
		}
		if whole.Total() != pieces.Total() {
			t.Fatalf("%q: %d tokens as a whole, %d in pieces", text, whole.Total(), pieces.Total())
		}
		whole.End()
		pieces.End()
		if whole != pieces {
			t.Fatalf("%q: %+v as a whole, %+v in pieces", text, whole, pieces)
		}
	})
}

// Counting eight bytes at a time gives the same as one by one.
func TestCounterWeighsEachCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		var want uint64
		s := takeApart(text)
		for _, n := range s.ascii {
			if n.of >= runsAt {
				want += uint64(n.times) * uint64(runWeight[n.of-runsAt])
			} else {
				want += uint64(n.times) * uint64(pairs[n.of>>7][n.of&0x7f])
			}
		}
		for _, n := range s.scripts {
			w := scriptWeight[n.of/2]
			want += uint64(n.times) * uint64([]uint16{w.first[Unknown], w.more[Unknown]}[n.of%2])
		}
		if got := tokensOf(Unknown, text); got != roundTokens(want) {
			t.Fatalf("%q: %d tokens, want %d", text, got, roundTokens(want))
		}
	})
}

func TestCounterEndsTexts(t *testing.T) {
	var joined, apart Counter
	joined.AddString("aaaaaaaa")
	joined.AddString("aaaaaaaa")
	apart.AddString("aaaaaaaa")
	apart.End()
	apart.AddString("aaaaaaaa")
	if one := tokensOf(Unknown, "aaaaaaaa"); apart.Total() > 2*one || apart.Total() <= joined.Total() {
		t.Errorf("two texts of %d tokens count %d, as one %d", one, apart.Total(), joined.Total())
	}
}

func TestScriptsArePart(t *testing.T) {
	for text, want := range map[string]bool{"plain": false, "漢字": true, "": false, "\xe2": true} {
		var c Counter
		c.AddString(text)
		if n := c.Scripts(); (n > 0) != want || n > c.Total() {
			t.Errorf("%q: %d of %d tokens are for scripts", text, n, c.Total())
		}
	}
}

func TestCounterIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText().Draw(t, "a"), anyText().Draw(t, "b")
		a = strings.ToValidUTF8(a, "\uFFFD")
		if tokensOf(Unknown, a+b) < tokensOf(Unknown, a) {
			t.Fatalf("%q counts less with %q appended", a, b)
		}
	})
}

func TestVocabularyOf(t *testing.T) {
	for id, want := range map[string]Vocabulary{
		"gpt-4": CL100K, "gpt-4-turbo-2024-04-09": CL100K, "openai/gpt-3.5-turbo": CL100K, "gpt-4o-mini": O200K, "gpt-4.1": O200K,
		"gpt-6-astra": O200K, "openai/GPT-5.5": O200K, "o3-mini": O200K, "claude-opus-5-5": Unknown, "gemini-3-pro": Unknown, "": Unknown,
	} {
		if got := VocabularyOf(id); got != want {
			t.Errorf("%q: vocabulary %d, want %d", id, got, want)
		}
	}
	const hindi = "स्थानांतरण विफल हो गया"
	if older, newer := tokensOf(CL100K, hindi), tokensOf(O200K, hindi); older < 2*newer {
		t.Errorf("%d tokens in the older vocabulary, %d in the newer", older, newer)
	}
}

func TestCounterAllocatesNothing(t *testing.T) {
	text := []byte("a line of text, ─── 漢字 and 🎉\n")
	if n := testing.AllocsPerRun(10, func() {
		var c Counter
		c.Add(text[:25])
		c.Add(text[25:])
		c.End()
		_ = c.Total()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCounter(b *testing.B) {
	for _, k := range texts.All() {
		switch k.Name {
		case "English", "Go", "JSON, indented", "base64", "Russian", "Chinese", "separators of =":
			text := strings.Repeat(k.Text(1), 50)
			b.Run(k.Name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					tokensOf(Unknown, text)
				}
			})
		}
	}
}
