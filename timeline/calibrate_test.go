package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// server counts factor times the estimate of a message, plus a number of tokens.
type server struct {
	factor float64
	fixed  int64
}

// talk is a conversation of turns whose answers say what the server counted.
// Its ids are u0, a0, u1, a1 and so on.
func (s server) talk(turns int) (lines []string) {
	parent, before := "", int64(0)
	for i := range turns {
		question, answer := strings.Repeat("What does the service do here? ", 20), strings.Repeat("It keeps what it was told. ", 60)
		before += tokens.Default{}.Text(question)
		u, a := fmt.Sprintf("u%d", i), fmt.Sprintf("a%d", i)
		lines = append(lines, user(u, parent, question), entry("message", a, u, fmt.Sprintf(
			`"message":{"role":"assistant","content":%q,"provider":"p","model":"m","stopReason":"stop","usage":{"input":%d,"output":%d}}`,
			answer, s.fixed+int64(s.factor*float64(before)), int64(s.factor*float64(tokens.Default{}.Text(answer))))))
		before += tokens.Default{}.Text(answer)
		parent = a
	}
	return lines
}

// about is within a hundredth, or ten tokens.
func about(got, want int64) bool { return max(got-want, want-got) <= max(want/100, 10) }

func sizeOf(t *testing.T, lines ...string) Size {
	t.Helper()
	return must.Get(project(t, parse(t, lines...)).Size(tokens.Default{}, 0))
}

// Honest servers differ from estimates by a factor and by what they add; after
// some calls a size without a count is what they would count.
func TestCalibratedSizes(t *testing.T) {
	for _, s := range []server{{1, 0}, {1, 9000}, {1.5, 9000}, {3, 2000}, {6, 40_000}, {1.0 / 3, 500}, {1.0 / 6, 0}} {
		lines := s.talk(12)
		whole := sizeOf(t, lines...)
		raw := must.Get(project(t, parse(t, lines...)).Size(tokens.Plain{}, 0)).Calibration.Samples
		if c := whole.Calibration; c.Samples < 5 || c.Text/s.factor > 1.02 || c.Text/s.factor < 0.98 || c.Margin > 1.1 || raw != 0 {
			t.Errorf("%+v: %+v; %d samples for plain sizes", s, c, raw)
		}
		// A pin: no count is valid any longer.
		pinned := append(slices.Clone(lines), entry("custom", "x", "a11", `"customType":"coppice.pin","data":{"targetId":"u1","pinned":true}`))
		size := sizeOf(t, pinned...)
		if size.Measured != nil || max(size.Fixed-s.fixed, s.fixed-size.Fixed) > 100 || !about(size.Decision(), *whole.Measured) && whole.Measured != nil {
			t.Errorf("%+v: %d with %d fixed, measured before %d", s, size.Decision(), size.Fixed, *whole.Measured)
		}
	}
}

// The fixed part is that of the first calls, through compactions by us and undo.
func TestFixedPartIsKept(t *testing.T) {
	s := server{1.2, 9000}
	lines := s.talk(8)
	ours := entry("compaction", "c", "a7", `"summary":"s","firstKeptEntryId":"u6","tokensBefore":1,"details":{"coppice":{"v":1,"fixed":8990}}`)
	foreign := entry("compaction", "c", "a7", `"summary":"s","firstKeptEntryId":"u6","tokensBefore":1`)
	undo := entry("custom", "x", "c", `"customType":"coppice.uncompact","data":{"compactionId":"c"}`)
	for name, tt := range map[string]struct {
		lines []string
		want  int64
	}{
		"first calls":                       {lines, 9000},
		"before any call":                   {lines[:1], 0},
		"our compaction":                    {append(slices.Clone(lines), ours), 8990},
		"another's, and no call after it":   {append(slices.Clone(lines), foreign), 0},
		"another's, and a call after it":    {append(slices.Clone(lines), foreign, user("u8", "c", "hi"), usage("a8", "u8", 11_000)), 0}, // a total is not a prompt
		"undone":                            {append(slices.Clone(lines), ours, undo), 9000},
		"another model":                     {append(slices.Clone(lines), entry("model_change", "mc", "a7", `"provider":"p","modelId":"n"`)), 9000},
		"a prompt in the log":               {append([]string{entry("message", "s", "", `"message":{"role":"system","content":"`+strings.Repeat("Be good. ", 500)+`"}`)}, rooted(lines, "s")...), 9000},
		"a single call, not to be believed": {server{1, 90_000}.talk(1), 0},
		"many tools, three calls agree":     {server{1, 90_000}.talk(3), 90_000},
		"the first count is odd":            {odd(lines, 0, 60_000), 9000},
		"the second count is odd":           {odd(lines, 3, 1), 9000},
	} {
		if got := sizeOf(t, tt.lines...).Fixed; !about(got, tt.want) && max(got, tt.want)-min(got, tt.want) > 120 {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// rooted has the first line follow an entry.
func rooted(lines []string, id string) []string {
	out := slices.Clone(lines)
	out[0] = strings.Replace(out[0], `"parentId":null`, `"parentId":"`+id+`"`, 1)
	return out
}

// odd changes the count in a line.
func odd(lines []string, at int, input int64) []string {
	out := slices.Clone(lines)
	i := 2*(at/2) + 1
	from := strings.Index(out[i], `"input":`)
	to := from + strings.Index(out[i][from:], ",")
	out[i] = out[i][:from] + fmt.Sprintf(`"input":%d`, input) + out[i][to:]
	return out
}

// If usage is not a size, nothing is learned from it.
func TestUsageThatIsNoSize(t *testing.T) {
	lines := server{1, 0}.talk(12)
	for i := 1; i < len(lines); i += 2 { // what was cached is left out
		lines = odd(lines, i, 300+int64(i%4)*70)
	}
	if c := sizeOf(t, lines...).Calibration; c.Samples != 0 || c.Text != 1 {
		t.Errorf("%+v", c)
	}
}

// A count that is not believed sets nothing; what a gateway adds is learned from
// the first. The prompt is known and has 700 tokens.
func TestFixedPartIsBelieved(t *testing.T) {
	const window = 32_000
	honest := server{1, 700}.talk(4)
	counts := func(input ...int64) []string {
		lines := slices.Clone(honest[:2*len(input)])
		for i, n := range input {
			lines = odd(lines, 2*i, n)
		}
		return lines
	}
	for name, tt := range map[string]struct {
		lines     []string
		from, to  int64
		undecided bool
	}{
		"as declared":                     {honest, 650, 750, false},
		"a gateway adds 2,000, one call":  {server{1, 2700}.talk(1), 2500, 2800, false},
		"a gateway adds 2,000, all calls": {server{1, 2700}.talk(4), 2500, 2800, false},
		"10^12, one call":                 {counts(1e12), 700, 750, true},
		"10^12 each time":                 {counts(1e12, 1e12, 1e12, 1e12), 700, 750, true},
		"10^12 and a little more":         {counts(1e12, 1e12+150, 1e12+600, 1e12+1100), 700, 750, true},
		"always the window":               {counts(window, window, window, window), 700, 750, true},
		"always half of the window":       {counts(16_208, 16_208, 16_208, 16_208), 700, 750, true},
		"always a small number":           {counts(4096, 4096, 4096, 4096), 700, 750, false},
		"sums":                            {counts(850, 2300, 4200, 6900), 700, 2500, false},
		"one odd before honest counts":    {odd(honest, 0, 1e12), 650, 750, false},
	} {
		v := must.Get(Project(t.Context(), parse(t, tt.lines...), nil, Policy{Model: message.Model{Provider: "p", ID: "m", Window: window}}))
		v.Prompt = Prompt{Known: true, Text: strings.Repeat("Be good. ", 273)}
		size := must.Get(v.Size(tokens.Default{}, 0))
		if size.Fixed < tt.from || size.Fixed > tt.to {
			t.Errorf("%s: a fixed part of %d, want %d to %d", name, size.Fixed, tt.from, tt.to)
		}
		if undecided := size.Measured == nil; undecided != tt.undecided {
			t.Errorf("%s: measured %v", name, size.Measured)
		}
	}
}

// What a compaction keeps was measured, so no calibration changes it.
func TestKeptFixedPart(t *testing.T) {
	for name, tt := range map[string]struct {
		kept, from, to int64
	}{
		"as measured":                    {748, 748, 748},
		"of a prompt that has grown":     {100, 1900, 2100},
		"above the window: not measured": {999_999_999_573, 1900, 2100},
	} {
		path := append(server{2.8, 748}.talk(8), entry("compaction", "c", "a7", fmt.Sprintf(
			`"summary":"s","firstKeptEntryId":"u2","tokensBefore":1,"details":{"coppice":{"v":1,"fixed":%d}}`, tt.kept)))
		v := must.Get(Project(t.Context(), parse(t, path...), nil, Policy{Model: message.Model{Provider: "p", ID: "m", Window: 32_000}}))
		v.Prompt = Prompt{Known: true, Text: strings.Repeat("Be good. ", 273)}
		if size := must.Get(v.Size(tokens.Default{}, 0)); size.Fixed < tt.from || size.Fixed > tt.to || size.Calibration.Text < 2.7 {
			t.Errorf("%s: a fixed part of %d, calibrated by %.2f", name, size.Fixed, size.Calibration.Text)
		}
	}
}

// A compaction takes nothing from what is known of a tokenizer, also in a process
// that has not seen the calls that it covers, and its undo nothing from what was
// measured.
func TestCalibrationOutlivesACompaction(t *testing.T) {
	for _, s := range []server{{1.5, 9000}, {3, 2000}, {1.0 / 3, 500}} {
		lines := s.talk(12)
		ours := entry("compaction", "c", "a11", fmt.Sprintf(`"summary":"s","firstKeptEntryId":"u10","tokensBefore":1,"details":{"coppice":{"v":1,"fixed":%d}}`, s.fixed))
		undo := entry("custom", "x", "c", `"customType":"coppice.uncompact","data":{"compactionId":"c"}`)
		before := sizeOf(t, lines...)
		for name, path := range map[string][]string{
			"compacted":                   append(slices.Clone(lines), ours),
			"compacted, and a turn later": append(slices.Clone(lines), ours, user("u12", "c", "hi")),
		} {
			src := parse(t, path...)
			v := project(t, src)
			if err := v.recall(t.Context(), src); err != nil {
				t.Fatal(err)
			}
			if got := must.Get(v.Size(tokens.Default{}, 0)).Calibration; got != before.Calibration {
				t.Errorf("%+v, %s: %+v, before %+v", s, name, got, before.Calibration)
			}
			old := parse(t, lines...)
			ahead := must.Get(project(t, old).With(t.Context(), old, src[len(lines):]...))
			if got := must.Get(ahead.Size(tokens.Default{}, 0)).Calibration; got != before.Calibration {
				t.Errorf("%+v, %s, planned: %+v, before %+v", s, name, got, before.Calibration)
			}
		}
		undone := sizeOf(t, append(slices.Clone(lines), ours, undo)...)
		if undone.Measured == nil || *undone.Measured != *before.Measured {
			t.Errorf("%+v: undone %v, before %d", s, undone.Measured, *before.Measured)
		}
		// A count from within the compaction is not of the view that is back.
		within := sizeOf(t, append(slices.Clone(lines), ours, user("u12", "c", "hi"), usage("a12", "u12", 300), strings.Replace(undo, `"c"`, `"a12"`, 1))...)
		if within.Measured == nil || *within.Measured < *before.Measured {
			t.Errorf("%+v: %v after an undo with a count before it, %d before", s, within.Measured, *before.Measured)
		}
	}
}
