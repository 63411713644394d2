package storetest_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/session/storetest"
)

// mutant is a store with one fault, and the test of the suite that finds it.
type mutant struct {
	fault, found string
	store        func(session.Store) session.Store // nil: as it is
	log          func(session.Log) session.Log     // nil: as it is
	options      storetest.Options
}

var mutants = []mutant{
	{fault: "none", options: storetest.Options{Place: inFolder, Unsure: unsure(false), PowerFailure: onDisk(true)}},
	{fault: "the leaf is another object each time", found: "Chain", log: func(l session.Log) session.Log { return leafAnew{l} }},
	{fault: "a second root goes under the leaf", found: "Branches", log: func(l session.Log) session.Log { return oneRoot{l} }},
	{fault: "an empty group is an error", found: "Group", log: func(l session.Log) session.Log { return noEmptyGroup{l} }},
	{fault: "all in order of ids", found: "ParentsFirst", log: func(l session.Log) session.Log { return sorted{l, byID} }},
	{fault: "all in order of time", found: "ParentsFirst", log: func(l session.Log) session.Log { return sorted{l, byTime} }},
	{fault: "set-up entries are stored at once", found: "SetupWaits", store: newHasty},
	{fault: "the header is forgotten", found: "Reopen", log: func(l session.Log) session.Log { return noHeader{l} }},
	{fault: "unknown members are dropped", found: "UnknownIsCarried", log: func(l session.Log) session.Log { return onlyKnown{l} }},
	{fault: "broken entries are accepted", found: "RefusesBrokenEntries", log: func(l session.Log) session.Log { return takesBroken{l} }},
	{fault: "duplicates are accepted", found: "RefusesDuplicates", log: func(l session.Log) session.Log { return takesDuplicates{l} }},
	{fault: "a parent may come later", found: "RefusesLaterParents", log: func(l session.Log) session.Log { return takesLaterParents{l} }},
	{fault: "half a group stays", found: "GroupIsWhole", log: func(l session.Log) session.Log { return halves{l} }},
	{fault: "no lock", found: "OneWriter", store: func(s session.Store) session.Store { return noLock{s} }},
	{fault: "appends to what is open for reading", found: "ReadOnly", log: func(l session.Log) session.Log { return writesAlways{l} }},
	{fault: "the place is believed without the id", found: "Find", log: func(l session.Log) session.Log { return findsByPlace{l} }},
	{fault: "the first of several ids", found: "OpenByID", store: func(s session.Store) session.Store { return opensFirst{s} }},
	{fault: "oldest first", found: "List", store: func(s session.Store) session.Store { return oldestFirst{s} }},
	{fault: "deleted sessions stay", found: "Delete", store: func(s session.Store) session.Store { return keepsAll{s} }},
	{fault: "appends after Close", found: "Close", log: func(l session.Log) session.Log { return &neverClosed{Log: l} }},
	{fault: "a cancelled append is made", found: "Cancelled", log: func(l session.Log) session.Log { return deaf{l} }},
	{fault: "a lock for one process", found: "OneWriterOfAllProcesses", options: storetest.Options{Place: lockedInProcess}},
	{fault: "a repeated append is doubled", found: "WrittenInSpiteOfAnError", options: storetest.Options{Unsure: unsure(true)}},
	{fault: "no sync", found: "PowerFailure", options: storetest.Options{PowerFailure: onDisk(false)}},
}

// inMutant says, in the environment of another process, that the suite is run.
const inMutant = "COPPICE_STORETEST_MUTANT"

// Each fault fails the test that is there to find it, and no other. The suite
// runs in another process, because there it is meant to fail.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.fault, func(t *testing.T) {
			if os.Getenv(inMutant) != "" {
				storetest.Run(t, m.open, m.options)
				return
			}
			var want []string
			if m.found != "" {
				want = []string{m.found}
			}
			if got, out := failures(t); !slices.Equal(got, want) {
				t.Errorf("failed %q, want %q\n%s", got, want, out)
			}
		})
	}
}

func (m *mutant) open(*testing.T) session.Store {
	s := memstore.New(nil)
	if m.log != nil {
		s = withLogs{s, m.log}
	}
	if m.store != nil {
		s = m.store(s)
	}
	return s
}

// withLogs is a store with other logs.
type withLogs struct {
	session.Store
	log func(session.Log) session.Log
}

func (s withLogs) Create(ctx context.Context, h session.Header) (session.Log, error) {
	return s.wrap(s.Store.Create(ctx, h))
}

func (s withLogs) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	return s.wrap(s.Store.Open(ctx, ref, mode))
}

func (s withLogs) wrap(l session.Log, err error) (session.Log, error) {
	if err != nil {
		return nil, err
	}
	return s.log(l), nil
}

var (
	failed = regexp.MustCompile(`(?m)^ *--- FAIL: TestMutants/[^/\n]+/(\w+)`)
	passed = regexp.MustCompile(`(?m)^ *--- PASS: TestMutants/[^/\n]+/\w+`)
)

// failures returns which tests of the suite fail over the mutant of this test.
func failures(t *testing.T) (tests []string, out []byte) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, name, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(exe, "-test.run", "^TestMutants$/^"+regexp.QuoteMeta(name)+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), inMutant+"=1")
	out, err = cmd.CombinedOutput() // an error if a test failed
	if !passed.Match(out) {
		t.Fatalf("the suite did not run: %v\n%s", err, out)
	}
	for _, m := range failed.FindAllSubmatch(out, -1) {
		tests = append(tests, string(m[1]))
	}
	return tests, out
}
