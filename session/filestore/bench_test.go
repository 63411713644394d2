package filestore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/session"
)

// longSession writes a session of n entries in a cycle of six, 1.6 KB each on
// average, with a compaction every 400 that keeps the last 30.
func longSession(tb testing.TB, n int) string {
	var b bytes.Buffer
	b.WriteString(testHeader + "\n")
	word := strings.Repeat("the file session compaction branch (\\\"x\\\");\\n", 120)
	texts := []int{400, 700, 4096, 700, 600, 900}
	roles := []string{"user", "assistant", "toolResult", "assistant", "toolResult", "assistant"}
	parent := "null"
	for i := range n {
		id := fmt.Sprintf("%08x", 0x10000000+i)
		head := fmt.Sprintf(`"id":"%s","parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z"`, id, parent)
		if i > 0 && i%400 == 0 {
			fmt.Fprintf(&b, `{"type":"compaction",%s,"summary":"%s","firstKeptEntryId":"%08x","tokensBefore":180000}`+"\n", head, strings.TrimRight(word[:4000], `\`), 0x10000000+i-30)
		} else {
			fmt.Fprintf(&b, `{"type":"message",%s,"message":{"role":"%s","content":[{"type":"text","text":"%s"}],"timestamp":1767225600000}}`+"\n",
				head, roles[i%6], strings.TrimRight(word[:texts[i%6]], `\`))
		}
		parent = `"` + id + `"`
	}
	if bytes.Contains(b.Bytes(), []byte("\\\"}")) {
		tb.Fatal("a text was cut inside an escape")
	}
	path := filepath.Join(tb.TempDir(), "long.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func BenchmarkOpen(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1_000, 10_000, 100_000} {
		path := longSession(b, n)
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		open := func(b *testing.B) session.Log {
			l, err := newStore(b.TempDir(), Options{}).Open(ctx, path, session.Mode{})
			if err != nil {
				b.Fatal(err)
			}
			return l
		}
		b.Run(fmt.Sprintf("tail/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := open(b)
				e, err := l.Leaf(ctx)
				for range 450 { // after the last compaction and what it keeps
					if e == nil || err != nil {
						break
					}
					e, err = l.Parent(ctx, e)
				}
				if err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
		b.Run(fmt.Sprintf("index/%d", n), func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				l := open(b)
				if _, err := l.Problems(ctx, true); err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
		b.Run(fmt.Sprintf("tree/%d", n), func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				l := open(b)
				if _, err := session.ReadTree(ctx, l, func(int, *session.Entry) error { return nil }); err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
		b.Run(fmt.Sprintf("shape/%d", n), func(b *testing.B) {
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				l := open(b)
				if _, err := shape.Read(ctx, l); err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
		b.Run(fmt.Sprintf("root/%d", n), func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				l := open(b)
				e, err := l.Leaf(ctx)
				for e != nil && err == nil {
					e, err = l.Parent(ctx, e)
				}
				if err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
		b.Run(fmt.Sprintf("all/%d", n), func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				l := open(b)
				for _, err := range l.All(ctx) {
					if err != nil {
						b.Fatal(err)
					}
				}
				l.Close()
			}
		})
	}
}

// An append costs the same in a session of any length, however much of it was
// read.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for _, read := range []struct {
			name    string
			entries int
		}{{"tail", 450}, {"root", n}} {
			b.Run(fmt.Sprintf("%s/%d", read.name, n), func(b *testing.B) {
				path := longSession(b, n)
				l, err := newStore(b.TempDir(), Options{Sync: SyncOff}).Open(bg, path, session.Mode{Write: true})
				if err != nil {
					b.Fatal(err)
				}
				defer l.Close()
				e, err := l.Leaf(bg)
				for i := 1; i < read.entries && e != nil && err == nil; i++ {
					e, err = l.Parent(bg, e)
				}
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					mustAppend(b, l, entry(fmt.Sprintf("n%d", i), ""))
				}
			})
		}
	}
}
