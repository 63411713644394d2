package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
)

// faulty returns a store whose disk can be told to fail.
func faulty(root string, opts Options) (*store, *fsx.Faulty) {
	s := newStore(root, opts)
	f := fsx.NewFaulty(s.fs)
	s.fs = f
	return s, f
}

func mustAppend(t testing.TB, l session.Log, entries ...*session.Entry) []*session.Entry {
	t.Helper()
	foreign, err := l.Append(bg, entries)
	if err != nil {
		t.Fatal(err)
	}
	return foreign
}

func ids(entries []*session.Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return out
}

func checkPath(t testing.TB, what string, l session.Log, want string) {
	t.Helper()
	if got := path(t, l); !slices.Equal(got, words(want)) {
		t.Errorf("%s: path %q, want %q", what, got, words(want))
	}
}

// A file may be cut anywhere in its last three lines; an append after the cut
// keeps every complete entry, removes nothing, and reads back.
func TestAppendAfterEveryCut(t *testing.T) {
	full := text(chain(6)...)
	last3 := len(full) - len(text(chain(6)[4:]...))
	for cut := last3; cut <= len(full); cut++ {
		if atEnd := strings.Contains(full[cut-1:min(cut+1, len(full))], "\n"); !atEnd && !amount.Tries(4, cut) {
			continue
		}
		file := write(t, full[:cut])
		whole := strings.Count(full[:cut], "\n") - 1
		if cut < len(full) && full[cut] == '\n' {
			whole++ // only the LF is missing
		}
		want := []string{"e0", "e1", "e2", "e3", "e4", "e5"}[:whole]
		l := open(t, file, session.Mode{Write: true})
		if got := path(t, l); !slices.Equal(got, want) {
			t.Fatalf("cut at %d: path %q, want %q", cut, got, want)
		}
		e := entry("n0", want[whole-1])
		mustAppend(t, l, e)
		mustAppend(t, l, entry("n1", "n0"))
		want = append(want, "n0", "n1")
		if got := path(t, l); !slices.Equal(got, want) {
			t.Fatalf("cut at %d: path after two appends %q, want %q", cut, got, want)
		}
		l.Close()
		l = open(t, file, session.Mode{})
		if got := path(t, l); !slices.Equal(got, want) {
			t.Fatalf("cut at %d: path after reopening %q, want %q", cut, got, want)
		}
		if now := content(t, file); !strings.HasPrefix(now, full[:cut]) || now[e.At:e.At+int64(len(must.Get(e.Raw())))] != string(must.Get(e.Raw())) {
			t.Fatalf("cut at %d: the file is now\n%s", cut, now)
		}
		l.Close()
	}
}

// Whatever fails in an append, memory is as before, nothing in the file is
// lost, and the next try succeeds.
func TestAppendFails(t *testing.T) {
	next := func() []*session.Entry { return []*session.Entry{entry("n0", "e2"), entry("n1", "n0")} }
	size := len(must.Get(next()[0].Raw())) + len(must.Get(next()[1].Raw())) + 2
	var faults []fsx.Fault
	for keep := 0; keep <= size; keep++ {
		if keep > 3 && keep < size-3 && keep%11 != 0 && keep != size/2-1 && keep != size/2 {
			continue // at the ends and around the LF every byte, between them some
		}
		faults = append(faults, fsx.Fault{Op: fsx.OpWrite, Err: syscall.ENOSPC, Keep: keep})
	}
	faults = append(faults, fsx.Fault{Op: fsx.OpSync, Err: syscall.EIO}, fsx.Fault{Op: fsx.OpStat, Err: os.ErrNotExist})
	for _, tail := range []string{"\n", "", "\n" + line("torn", "e2")[:30]} {
		before := strings.TrimSuffix(text(chain(3)...), "\n") + tail
		for _, fault := range faults {
			file := write(t, before)
			s, disk := faulty(filepath.Dir(file), Options{})
			opened, err := s.Open(bg, file, session.Mode{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			l := opened.(*openLog)
			checkPath(t, "opened", l, "e0 e1 e2")
			disk.Inject(fault)
			if _, err := l.Append(bg, next()); !errors.Is(err, fault.Err) {
				t.Fatalf("%+v: append gave %v", fault, err)
			}
			checkPath(t, "failed append", l, "e0 e1 e2")
			if n := len(all(t, l)); n != 3 {
				t.Fatalf("%+v: %d entries in memory", fault, n)
			}
			retry := next()
			if foreign := mustAppend(t, l, retry...); len(foreign) > 0 {
				t.Fatalf("%+v: our own lines came back as foreign: %q", fault, ids(foreign))
			}
			checkPath(t, "retry", l, "e0 e1 e2 n0 n1")
			if leaf, _ := l.Leaf(bg); leaf != retry[1] {
				t.Errorf("%+v: the leaf is not what was appended", fault)
			}
			l.Close()
			checkPath(t, "reopened", open(t, file, session.Mode{}), "e0 e1 e2 n0 n1")
			if n := len(all(t, open(t, file, session.Mode{}))); n != 5 {
				t.Errorf("%+v: %d entries after reopening", fault, n)
			}
			if now := content(t, file); !strings.HasPrefix(now, before) || strings.Count(now, text(line("n0", "e2"))) != 1 || !strings.HasSuffix(now, text(line("n1", "n0"))) {
				t.Fatalf("%+v: the file lost something, or has a line twice:\n%s", fault, now)
			}
		}
	}
}

// A session whose append was written but not synced can repeat it: it is
// reported as written when it is durable, and is there once.
func TestRepeatedAppendIsSynced(t *testing.T) {
	base := t.TempDir()
	s := newStore(base, Options{})
	lossy := fsx.NewLossy(s.fs, base)
	disk := fsx.NewFaulty(lossy)
	s.fs = disk
	l := must.Get(s.Create(bg, session.Header{ID: "id", Cwd: "/srv/p"}))
	defer l.Close()
	mustAppend(t, l, entry("a", ""))
	talk := session.New(l, session.Options{})
	group := talk.Prepare(must.Get(talk.Leaf(bg)), session.NameDraft("b"), session.NameDraft("c"))
	disk.Inject(fsx.Fault{Op: fsx.OpSync, Err: syscall.EIO, Stay: true})
	for range 2 {
		if err := talk.Commit(bg, group); !errors.Is(err, syscall.EIO) {
			t.Fatalf("commit: %v, want %v", err, syscall.EIO)
		}
	}
	disk.Heal()
	if err := talk.Commit(bg, group); err != nil {
		t.Fatal(err)
	}
	if again := talk.Prepare(group[1], session.NameDraft("d")); talk.Commit(bg, again) != nil {
		t.Error("the session does not go on from there")
	}
	want := []string{"a", group[0].ID, group[1].ID}
	after := t.TempDir()
	if err := lossy.Crash(after); err != nil {
		t.Fatal(err)
	}
	for what, log := range map[string]session.Log{"here": l, "after a power failure": must.Get(New(after, Options{}).Open(bg, "id", session.Mode{}))} {
		defer log.Close()
		if got := all(t, log); len(got) != 4 || !slices.Equal(got[:3], want) {
			t.Errorf("%s: %q, want %q and one more", what, got, want)
		}
	}
	if _, err := l.Append(bg, group); !errors.Is(err, session.ErrDuplicate) {
		t.Errorf("once more: %v, want %v", err, session.ErrDuplicate)
	}
}

// An id is refused if the log has read an entry that has it, or appended one,
// wherever in the file; what it has not read it does not read for that.
func TestAppendRefusesKnownIDs(t *testing.T) {
	file := longSession(t, 3000) // several stretches
	l := open(t, file, session.Mode{Write: true})
	id := func(i int) string { return fmt.Sprintf("%08x", 0x10000000+i) }
	refused := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if _, err := l.Append(bg, []*session.Entry{entry(id, "")}); !errors.Is(err, session.ErrDuplicate) {
				t.Errorf("append %s: %v, want %v", id, err, session.ErrDuplicate)
			}
		}
	}
	e := must.Get(l.Leaf(bg))
	refused(id(2999), id(2990))
	mustAppend(t, l, entry("n0", id(2999)))
	refused("n0", id(2999), id(2990))
	for range 2500 {
		e = must.Get(l.Parent(bg, e))
	}
	refused("n0", id(2999), id(1200), id(499))
	mustAppend(t, l, entry("n1", "n0"), entry("n2", "n1"))
	if l.x.whole || l.x.from == 0 {
		t.Error("the rest of the file was read")
	}
	refused("n0", "n1", "n2", id(2999), id(1200), id(499))
	if _, err := l.Problems(bg, true); err != nil {
		t.Fatal(err)
	}
	refused("n0", "n1", "n2", id(2999), id(1200), id(499), id(0))
	mustAppend(t, l, entry(l.Header().ID, "n2")) // of the session, not of an entry
}

// An entry that a failed append left complete in the file, and that was not
// retried, is part of the log from the next append on, and what is appended
// becomes its sibling.
func TestFailedAppendThenAnother(t *testing.T) {
	file := write(t, text(chain(2)...))
	s, disk := faulty(filepath.Dir(file), Options{})
	l, err := s.Open(bg, file, session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	disk.Inject(fsx.Fault{Op: fsx.OpSync, Err: syscall.EIO})
	if _, err := l.Append(bg, []*session.Entry{entry("lost", "e1")}); err == nil {
		t.Fatal("append succeeded")
	}
	if got := ids(mustAppend(t, l, entry("n", "e1"))); !slices.Equal(got, words("lost")) {
		t.Errorf("foreign %q", got)
	}
	checkPath(t, "after", l, "e0 e1 n")
}

func TestCreateFails(t *testing.T) {
	ops := []fsx.Fault{
		{Op: fsx.OpMkdir, Err: syscall.ENOSPC}, {Op: fsx.OpCreate, Err: syscall.ENOSPC}, {Op: fsx.OpWrite, Err: syscall.ENOSPC, Keep: 100},
		{Op: fsx.OpSync, Err: syscall.EIO}, {Op: fsx.OpSyncDir, Err: syscall.EIO}, {Op: fsx.OpSyncDir, Err: syscall.EIO, Skip: 1},
	}
	for _, fault := range ops {
		for _, keepsFile := range []bool{false, true} {
			root := t.TempDir()
			s, disk := faulty(root, Options{})
			l, err := s.Create(bg, session.Header{Cwd: "/srv/p"})
			if err != nil {
				t.Fatal(err)
			}
			setup, _ := session.ParseEntry([]byte(`{"type":"custom","id":"s","parentId":null,"timestamp":"t"}`))
			mustAppend(t, l, setup)
			disk.Inject(fault)
			if keepsFile {
				disk.Inject(fsx.Fault{Op: fsx.OpRemove, Err: syscall.EIO})
			}
			if _, err := l.Append(bg, []*session.Entry{entry("a", "s")}); !errors.Is(err, fault.Err) {
				t.Fatalf("%+v: %v", fault, err)
			}
			checkPath(t, "failed create", l, "s")
			disk.Heal()
			mustAppend(t, l, entry("a", "s"))
			checkPath(t, "retry", l, "s a")
			l.Close()
			l = open(t, l.Ref(), session.Mode{})
			checkPath(t, "reopened", l, "s a")
			if got := kindsOf(t, l); len(got) > 0 {
				t.Errorf("%+v: problems %q", fault, got)
			}
		}
	}
}

func TestNameTaken(t *testing.T) {
	s := newStore(t.TempDir(), Options{})
	l, err := s.Create(bg, session.Header{Cwd: "/srv/p"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(l.Ref()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Ref(), []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(bg, []*session.Entry{entry("a", "")}); !errors.Is(err, os.ErrExist) {
		t.Errorf("append: %v, want %v", err, os.ErrExist)
	}
	checkPath(t, "failed", l, "")
	if content(t, l.Ref()) != "somebody's" {
		t.Error("the file was overwritten")
	}
}

// The order of operations is what makes an append durable.
func TestOrderOfOperations(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, disk := faulty(t.TempDir(), Options{Now: func() time.Time { return now }})
	l, err := s.Create(bg, session.Header{ID: "id", Cwd: "/srv/p"})
	if err != nil {
		t.Fatal(err)
	}
	step := func(name string, want ...string) {
		t.Helper()
		project, root := projectDir("/srv/p"), filepath.Base(s.root)
		got := disk.Record()
		for i, op := range got {
			got[i] = strings.NewReplacer(project, "PROJECT", root, "ROOT", "2026-01-01T00-00-00-000Z_id.jsonl", "FILE").Replace(op)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, want)
		}
	}
	setup, _ := session.ParseEntry([]byte(`{"type":"custom","id":"s","parentId":null,"timestamp":"t"}`))
	mustAppend(t, l, setup)
	step("setup waits")
	mustAppend(t, l, entry("a", "s"))
	step("create", "mkdir PROJECT 0700", "create FILE", "write FILE 330", "sync FILE", "sync-dir PROJECT", "sync-dir ROOT")
	mustAppend(t, l, entry("b", "a"), entry("c", "b"))
	step("append a group", "write FILE 352", "sync FILE")
	disk.Inject(fsx.Fault{Op: fsx.OpWrite, Err: syscall.ENOSPC, Keep: 10})
	if _, err := l.Append(bg, []*session.Entry{entry("d", "c")}); err == nil {
		t.Fatal("append succeeded")
	}
	step("failed append", "write FILE 176 !")
	mustAppend(t, l, entry("d", "c"))
	step("after a fence", "write FILE 177", "sync FILE")
	l.Close()
	step("close", "close FILE")
	if l, err = s.Open(bg, l.Ref(), session.Mode{}); err != nil {
		t.Fatal(err)
	}
	path(t, l)
	l.Close()
	step("read", "close FILE")
}

func TestSyncPolicy(t *testing.T) {
	for _, tt := range []struct {
		sync Sync
		want string
	}{
		{SyncAlways, "sync sync sync"}, {SyncInterval, "sync sync"}, {SyncOff, ""},
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		file := write(t, text(chain(1)...))
		s, disk := faulty(filepath.Dir(file), Options{Sync: tt.sync, SyncEvery: time.Minute, Now: func() time.Time { return now }})
		l, err := s.Open(bg, file, session.Mode{Write: true, Force: true})
		if err != nil {
			t.Fatal(err)
		}
		mustAppend(t, l, entry("a", "e0"))
		now = now.Add(time.Second)
		mustAppend(t, l, entry("b", "a"))
		now = now.Add(time.Second)
		mustAppend(t, l, entry("c", "b"))
		l.Close()
		var got []string
		for _, op := range disk.Record() {
			if op, _, _ := strings.Cut(op, " "); op == "sync" {
				got = append(got, op)
			}
		}
		if !slices.Equal(got, words(tt.want)) {
			t.Errorf("%s: %q, want %q", tt.sync, got, words(tt.want))
		}
	}
}
