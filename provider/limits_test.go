package provider

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
)

// tooLong is a refusal that names a window.
func tooLong(window int64) *message.Fault {
	return &message.Fault{Class: message.ClassOverflow, Limit: message.Limit{Unit: kinds.UnitContext, Max: window}, Message: "prompt is too long"}
}

func learned(provider, id string, window int64) *Limits {
	l := &Limits{}
	l.Learn(message.Model{Provider: provider, ID: id}, tooLong(window))
	return l
}

// Only a number whose unit is known, and that holds for the next request too,
// teaches anything.
func TestWhatTeaches(t *testing.T) {
	limit := func(u message.Unit, n int64) message.Limit { return message.Limit{Unit: u, Max: n, Used: 1} }
	for _, tt := range []struct {
		name string
		f    *message.Fault
		want bool
	}{
		{"nothing", nil, false},
		{"a window", tooLong(180_000), true},
		{"a window that the output exceeds", &message.Fault{Class: message.ClassOverflowOutput, Limit: limit(kinds.UnitContext, 180_000)}, true},
		{"a window too small to be one", tooLong(10), false},
		{"an unknown unit", &message.Fault{Class: message.ClassOverflow, Limit: limit(kinds.UnitUnknown, 180_000)}, false},
		{"no unit", &message.Fault{Class: message.ClassOverflow, Limit: limit("", 180_000)}, false},
		{"a rate", &message.Fault{Class: message.ClassRateLimit, Limit: limit(kinds.UnitRate, 30_000)}, false},
		{"a request above a rate", &message.Fault{Class: message.ClassOverflow, Limit: limit(kinds.UnitRate, 30_000)}, false},
		{"money", &message.Fault{Class: message.ClassQuota, Limit: limit(kinds.UnitMoney, 5000)}, false},
		{"output", &message.Fault{Class: message.ClassOverflowOutput, Limit: limit(kinds.UnitOutput, 8192)}, true},
		{"bytes", &message.Fault{Class: message.ClassBytes, Limit: limit(kinds.UnitBytes, 5_000_000)}, true},
		{"items", &message.Fault{Class: message.ClassBadRequest, Limit: message.Limit{Unit: kinds.UnitItems, Max: 2048, Where: "messages"}}, true},
	} {
		m := message.Model{Provider: "p", ID: "m", Window: 200_000, WindowSource: kinds.WindowCatalogue, MaxOutput: 64_000}
		var l Limits
		if got := l.Learn(m, tt.f); got != tt.want {
			t.Errorf("%s: taught %v", tt.name, got)
		}
		if l.Learn(m, tt.f) {
			t.Errorf("%s: news twice", tt.name)
		}
		if !tt.want && l.InForce(m) != m {
			t.Errorf("%s changed the model: %+v", tt.name, l.InForce(m))
		}
	}
}

func TestInForce(t *testing.T) {
	l := &Limits{}
	m := message.Model{Provider: "p", ID: "m", Window: 200_000, WindowSource: kinds.WindowCatalogue, MaxOutput: 64_000, MaxBytes: 32_000_000}
	for _, f := range []*message.Fault{
		tooLong(180_000),
		{Class: message.ClassOverflowOutput, Limit: message.Limit{Unit: kinds.UnitOutput, Max: 8192}},
		{Class: message.ClassBytes, Limit: message.Limit{Unit: kinds.UnitBytes, Max: 20_971_520}},
		{Class: message.ClassBytes, Limit: message.Limit{Unit: kinds.UnitBytes, Max: 5000, Where: "image"}},
		{Class: message.ClassBadRequest, Limit: message.Limit{Unit: kinds.UnitItems, Max: 2048, Where: "messages"}},
		{Class: message.ClassBadRequest, Limit: message.Limit{Unit: kinds.UnitItems, Max: 128, Where: "tools"}},
		{Class: message.ClassBadRequest, Limit: message.Limit{Unit: kinds.UnitItems, Max: 50, Where: "image"}},
		{Class: message.ClassBadRequest, Limit: message.Limit{Unit: kinds.UnitPixels, Max: 2000, Where: "image"}},
	} {
		l.Learn(m, f)
	}
	want := m
	want.Window, want.WindowSource, want.MaxOutput, want.MaxBytes = 180_000, kinds.WindowLearned, 8192, 20_971_520
	want.MaxMessages, want.MaxTools = 2048, 128
	want.MaxImages, want.MaxImageSide, want.MaxImageSize = 50, 2000, 5000
	if got := l.InForce(m); got != want || l.InForce(got) != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := l.InForce(message.Model{Provider: "p", ID: "other", Window: 9}); got.Window != 9 {
		t.Errorf("another model: %+v", got)
	}
	if !l.Forget("p/m") || l.Forget("p/m") || l.InForce(m) != m || len(l.Models()) != 0 {
		t.Error("it was not forgotten")
	}
}

// A success above what was learned disproves it.
func TestAccepted(t *testing.T) {
	known := func(window int64, source string) message.Model {
		return message.Model{Provider: "p", ID: "m", Window: window, WindowSource: source}
	}
	for _, tt := range []struct {
		name    string
		learned int64
		model   message.Model
		prompt  int64
		want    int64 // in force
	}{
		{"below", 100_000, known(200_000, kinds.WindowCatalogue), 100_000, 100_000},
		{"above: the catalogue is right after all", 100_000, known(200_000, kinds.WindowCatalogue), 100_001, 200_000},
		{"above both", 100_000, known(128_000, WindowDefault), 150_000, 150_000},
		{"an assumed window is corrected", 0, known(128_000, WindowDefault), 150_000, 150_000},
		{"a setting is not", 0, known(128_000, WindowSetting), 150_000, 128_000},
		{"nor what the server says", 0, known(128_000, kinds.WindowServer), 150_000, 128_000},
		{"nothing to correct", 0, known(128_000, WindowDefault), 100, 128_000},
	} {
		l := &Limits{}
		if tt.learned > 0 {
			l.Learn(tt.model, tooLong(tt.learned))
		}
		l.accepted(tt.model, tt.prompt)
		if got := l.InForce(tt.model).Window; got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A learned window is never below a prompt that was accepted after it, and
// never more than was said or accepted.
func TestLearnedWindowFollowsEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := message.Model{Provider: "p", ID: "m", Window: 128_000, WindowSource: rapid.SampledFrom([]string{kinds.WindowCatalogue, WindowDefault, WindowSetting, kinds.WindowServer}).Draw(t, "source")}
		l, most := &Limits{}, m.Window
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			n := rapid.Int64Range(1, 400_000).Draw(t, "n")
			most = max(most, n)
			if rapid.Bool().Draw(t, "refused") {
				l.Learn(m, tooLong(n))
				if got := l.InForce(m).Window; n >= minLearned && got > n {
					t.Fatalf("%d in force after a refusal that named %d", got, n)
				}
				continue
			}
			l.accepted(m, n)
			if got := l.InForce(m).Window; got < min(n, m.Window) {
				t.Fatalf("%d in force after a prompt of %d", got, n)
			}
		}
		if got := l.InForce(m).Window; got > most {
			t.Fatalf("%d in force, and no one named more than %d", got, most)
		}
	})
}

func TestLimitsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "windows.json")
	at := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	open := func() *Limits {
		t.Helper()
		l, err := OpenLimits(path)
		if err != nil {
			t.Fatal(err)
		}
		l.Now = func() time.Time { at = at.Add(time.Minute); return at }
		return l
	}
	a, b := message.Model{Provider: "p", ID: "a"}, message.Model{Provider: "p", ID: "b/c"}
	one, two := open(), open()
	one.Learn(a, tooLong(32_000))
	two.Learn(a, tooLong(16_000))
	two.Learn(b, tooLong(8000))
	for _, l := range []*Limits{two, one, open()} {
		if err := l.Save(); err != nil {
			t.Fatal(err)
		}
	}
	three := open()
	if got := three.Of(a); len(got) != 1 || got[0].Number != 16_000 || got[0].Text != "prompt is too long" || got[0].Times != 1 {
		t.Errorf("the older of two runs won: %+v", got)
	}
	if got := three.Models(); !slices.Equal(got, []string{"p/a", "p/b/c"}) {
		t.Errorf("%v", got)
	}
	three.Forget("p/a")
	three.accepted(message.Model{Provider: "p", ID: "b/c", Window: 200_000, WindowSource: kinds.WindowCatalogue}, 9000)
	if err := three.Save(); err != nil {
		t.Fatal(err)
	}
	if got := open().Models(); len(got) != 0 {
		t.Errorf("kept after it was forgotten: %v", got)
	}
}

// A file that cannot be read teaches nothing, and is replaced.
func TestBrokenLimitsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "windows.json")
	for content, broken := range map[string]bool{"{": true, "": false, `{"p/a":4048,"p/b":[{"unit":"context-tokens","number":9000}]}`: false} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLimits(path)
		if (err != nil) != broken || len(l.Models()) != 0 {
			t.Errorf("%q: %v, %v", content, err, l.Models())
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("it does not name the file: %v", err)
		}
		l.Learn(message.Model{Provider: "p", ID: "a"}, tooLong(8000))
		if err := l.Save(); err != nil {
			t.Fatal(err)
		}
		if l, err := OpenLimits(path); err != nil || len(l.Of(message.Model{Provider: "p", ID: "a"})) != 1 {
			t.Errorf("%q: not written again: %v", content, err)
		}
	}
}
