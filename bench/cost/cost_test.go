package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/bench/internal/page"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// asked is a call at a minute, of parts written as "name:tokens", with marks
// after some of them.
func asked(minute int, request string, marks ...int) call {
	c := call{at: time.Unix(int64(60*minute), 0), marks: marks}
	for _, f := range strings.Fields(request) {
		var size int64
		name, n, _ := strings.Cut(f, ":")
		fmt.Sscan(n, &size)
		id := uint64(0)
		for _, r := range name {
			id = id*31 + uint64(r)
		}
		c.parts = append(c.parts, part{id: id, size: size, places: 1})
	}
	return c
}

// The rules of the vendors.
func TestCache(t *testing.T) {
	marked := tariff{lifetime: 5 * time.Minute, least: 512, marked: true, lookback: 3}
	implicit := tariff{lifetime: 5 * time.Minute, least: 1024, step: 128}
	detached := asked(1, "s:1000 a:1000")
	detached.detached = true
	for _, tt := range []struct {
		name   string
		tariff tariff
		calls  []call
		read   int64 // by the last call
		write  int64
		fresh  int64
	}{
		{"the first call writes up to its mark", marked, []call{asked(0, "s:1000 a:500 b:7", 0, 1)}, 0, 1500, 7},
		{"the next one reads", marked, []call{asked(0, "s:1000 a:500", 0, 1), asked(4, "s:1000 a:500 b:300", 0, 1, 2)}, 1500, 300, 0},
		{"without marks nothing is written", marked, []call{asked(0, "s:1000 a:500")}, 0, 0, 1500},
		{"nor read", marked, []call{asked(0, "s:1000 a:500", 1), asked(1, "s:1000 a:500")}, 0, 0, 1500},
		{"too late", marked, []call{asked(0, "s:1000 a:500", 1), asked(6, "s:1000 a:500", 1)}, 0, 1500, 0},
		{"use keeps it alive", marked, []call{asked(0, "s:1000 a:500", 1), asked(4, "s:1000 a:500", 1), asked(8, "s:1000 a:500", 1)}, 1500, 0, 0},
		{"an edit", marked, []call{asked(0, "s:1000 a:500 b:500", 0, 2), asked(1, "s:1000 x:10 b:500", 0, 2)}, 1000, 510, 0},
		{"below the minimum nothing is cached", marked, []call{asked(0, "s:100 a:400", 0, 1), asked(1, "s:100 a:400", 0, 1)}, 0, 0, 500},
		{"a prefix two blocks before the mark", marked, []call{asked(0, "s:1000 a:500", 1), asked(1, "s:1000 a:500 b:1 c:1", 3)}, 1500, 2, 0},
		{"a prefix too far before it", marked, []call{asked(0, "s:1000 a:500", 1), asked(1, "s:1000 a:500 b:1 c:1 d:1", 4)}, 0, 1503, 0},
		{"without marks the longest prefix in steps", implicit, []call{asked(0, "s:1000 a:500 b:500"), asked(1, "s:1000 a:500 x:500")}, 1408, 592, 0},
		{"detached: no cache", implicit, []call{asked(0, "s:1000 a:1000"), detached}, 0, 0, 2000},
	} {
		c := cache{tariff: tt.tariff, prefixes: map[uint64]time.Time{}}
		var u message.Usage
		for _, k := range tt.calls {
			u = c.take(k)
		}
		if u.CacheRead != tt.read || u.CacheWrite != tt.write || u.Input != tt.fresh {
			t.Errorf("%s: read %d, written %d, fresh %d; want %d, %d, %d", tt.name, u.CacheRead, u.CacheWrite, u.Input, tt.read, tt.write, tt.fresh)
		}
	}
}

func TestBill(t *testing.T) {
	rules := tariff{price: message.Price{Input: 10, Output: 50, CacheWrite: 12.5, CacheRead: 1}, lifetime: time.Minute, least: 1, marked: true, lookback: 20}
	summary := asked(0, "s:100000 i:1000", 0)
	summary.summary, summary.output = true, 2000
	got := rules.bill([]call{asked(0, "s:100000", 0), summary})
	want := bill{Total: 1.25 + 0.1 + 0.01 + 0.1, Summary: 0.1 + 0.01 + 0.1}
	if fmt.Sprintf("%.6f", got) != fmt.Sprintf("%.6f", want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Every token of a request is billed once, and a cache that lives longer never
// reads less.
func TestEveryTokenIsBilledOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := tariff{least: rapid.Int64Range(0, 600).Draw(t, "least"), marked: rapid.Bool().Draw(t, "marked"), lookback: rapid.IntRange(1, 20).Draw(t, "lookback"),
			step: 1, lifetime: 5 * time.Minute}
		longer := rules
		longer.lifetime = time.Hour
		short, long := cache{rules, map[uint64]time.Time{}}, cache{longer, map[uint64]time.Time{}}
		minute := 0
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			minute += rapid.IntRange(0, 20).Draw(t, "minutes")
			k := asked(minute, "s:100")
			for range rapid.IntRange(0, 6).Draw(t, "parts") {
				k.parts = append(k.parts, part{id: rapid.Uint64Range(0, 2).Draw(t, "id"), size: 200, places: 1})
			}
			k.marks = []int{0, len(k.parts) - 1}
			a, b := short.take(k), long.take(k)
			if a.Prompt() != k.size() || b.Prompt() != k.size() || min(a.Input, a.CacheRead, a.CacheWrite) < 0 {
				t.Fatalf("%+v and %+v of %d", a, b, k.size())
			}
			if b.CacheRead < a.CacheRead {
				t.Fatalf("%d read with a longer life, %d with a shorter one", b.CacheRead, a.CacheRead)
			}
		}
	})
}

// job is a recorded session: turns of so many rounds, each with a result of
// so many tokens.
func job(t *testing.T, turns, rounds, tokens int) *trace {
	t.Helper()
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	s := session.New(log, session.Options{Now: func() time.Time { now = now.Add(10 * time.Second); return now }})
	add := func(m *message.Message) {
		if m.Role == message.RoleAssistant {
			m.Provider, m.Model = "anthropic", "claude-opus-4-5"
			m.Usage = &message.Usage{Input: 5000, Output: 300}
		}
		if _, err := s.Append(ctx, session.MessageDraft(m)); err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) []message.Block { return []message.Block{message.Text{Text: s}} }
	for turn := range turns {
		add(&message.Message{Role: message.RoleUser, Content: text(fmt.Sprintf("do part %d", turn))})
		for round := range rounds {
			id := fmt.Sprintf("c%d-%d", turn, round)
			add(&message.Message{Role: message.RoleAssistant, StopReason: message.StopToolUse,
				Content: []message.Block{message.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"command":"make"}`)}}})
			add(&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "bash", Content: text(strings.Repeat("word", tokens))})
		}
		add(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: text("done")})
	}
	path, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return newTrace("job", path)
}

// Every policy except doing nothing keeps the session's requests within the
// window, the session's own calls are the same under all policies, and a summary
// with a shared prefix reads the session's cache.
func TestPolicies(t *testing.T) {
	const window = 40_000
	tr := job(t, 6, 8, 2500)
	for _, name := range names {
		s, err := play(ctx, tr, window, newPolicy(name))
		if err != nil {
			t.Fatal(err)
		}
		c := cache{tariff: tariff{lifetime: 5 * time.Minute, least: 512, marked: true, lookback: 20}, prefixes: map[uint64]time.Time{}}
		own, summaries, largest, read := 0, 0, int64(0), int64(0)
		for _, k := range s.calls {
			u := c.take(k)
			largest = max(largest, k.size())
			if !k.summary {
				own++
				continue
			}
			summaries++
			read += u.CacheRead
		}
		if own != 6*9 {
			t.Errorf("%s: %d calls of the session", name, own)
		}
		if (largest <= window) == (name == nothing) {
			t.Errorf("%s: the largest request has %d tokens", name, largest)
		}
		if (summaries > 0) == (name == nothing) {
			t.Errorf("%s: %d summaries", name, summaries)
		}
		if (read > 20_000) != (name == shared) {
			t.Errorf("%s: summaries read %d tokens from the cache", name, read)
		}
	}
}

// A session that stays below every threshold costs the same under all policies.
func TestNothingIsReducedWhereNothingIsNeeded(t *testing.T) {
	rows, err := measure(ctx, job(t, 2, 5, 1000), 200_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for _, n := range names {
			if !r.needless() || r.Bills[n] != r.Bills[nothing] || r.Bills[n].Total <= 0 || !r.low(n) {
				t.Errorf("%s, %s: %v, without reduction %v", r.Tariff, n, r.Bills[n], r.Bills[nothing])
			}
		}
	}
}

// The sample session that comes with the project: the bills are the same each
// time, and docs/benchmarks.md has the table that the command prints.
func TestSampleSession(t *testing.T) {
	measure := func(args ...string) string {
		var out, errs bytes.Buffer
		if err := run(ctx, append([]string{"-corpus", filepath.Join("..", "..", "examples")}, args...), &out, &errs); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var rows []row
	if err := json.Unmarshal([]byte(measure("-json")), &rows); err != nil {
		t.Fatal(err)
	}
	table := (report{rows}).markdown()
	if amount.Full() {
		if again := measure(); again != table {
			t.Errorf("two runs differ:\n%s\n%s", table, again)
		}
	}
	for _, r := range rows {
		for _, n := range []string{serialized, shared} {
			if r.needless() && r.excess(n) > 0.01 {
				t.Errorf("%s, %d, %s: %s costs %.1f %% more than nothing", r.Session, r.Window, r.Tariff, n, 100*r.excess(n))
			}
		}
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	section, ok := page.Section(string(data), "cost")
	if !ok {
		t.Fatal("docs/benchmarks.md has no section cost")
	}
	if got, want := labels(section), labels(table); got != want {
		t.Errorf("docs/benchmarks.md has other rows or columns:\n%s\nwant\n%s", got, want)
	}
}

// labels are the header of a table and the first cells of its rows.
func labels(table string) string {
	var out []string
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		switch {
		case len(cells) < 3 || strings.HasPrefix(line, "|---"):
		case len(out) == 0:
			out = append(out, line)
		default:
			out = append(out, strings.TrimSpace(cells[1]))
		}
	}
	return strings.Join(out, "\n")
}
