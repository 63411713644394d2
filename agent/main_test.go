package agent_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/wire/dialects"
)

var update = flag.Bool("update", false, "write testdata anew")

// Variables by which the test starts itself as the worker that is killed.
const (
	workerDir     = "COPPICE_TEST_WORKER_DIR"
	workerURL     = "COPPICE_TEST_WORKER_URL"
	workerDialect = "COPPICE_TEST_WORKER_DIALECT"
)

// asRecorder is the first argument that makes the test binary a hook program,
// which adds the event that it gets to the file in the second one.
const asRecorder = "record-hook-event"

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(workerDir) != "":
		err = worker(os.Getenv(workerDir), os.Getenv(workerURL), os.Getenv(workerDialect))
	case len(os.Args) > 2 && os.Args[1] == asRecorder:
		err = record(os.Args[2])
	default:
		os.Setenv("GORACE", "atexit_sleep_ms=0") // or each program would stay for a second at its end
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func record(file string) error {
	event, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(event); err != nil {
		return err
	}
	return f.Close()
}

// worker starts the job, or continues it if there is already a session. It prints
// a line for each start and end of a compaction.
func worker(dir, url, dialect string) error {
	ctx := context.Background()
	log, err := openFirst(dir, session.Mode{Write: true})
	resumed := log != nil
	if err == nil && !resumed {
		log, err = filestore.New(dir, filestore.Options{}).Create(ctx, session.Header{Cwd: dir})
	}
	if err != nil {
		return err
	}
	defer log.Close()
	d, _ := dialects.ByName(dialect)
	model := &provider.Bound{Client: provider.New(provider.ProviderConfig{BaseURL: url, APIKey: "fake-key"}, d, nil),
		Model: message.Model{Provider: "fake", ID: "fake-1", API: dialect, Window: jobWindow, MaxOutput: 8192, MaxBytes: jobMaxBytes}}
	_, a, err := config{Session: seed{log}, Model: model, Compaction: compaction.Settings{Background: new(false)},
		Tools: []agent.Tool{scan(), write()}, Summarizer: &summarize.Ladder{Extract: true}}.make()
	if err != nil {
		return err
	}
	defer a.Close()
	events := a.Run(ctx, "Scan all parts. "+planted[0])
	if resumed {
		events = a.Resume(ctx)
	}
	for ev, err := range events {
		if err != nil {
			return err
		}
		if l := compactionLine(ev); l != "" {
			fmt.Println(l)
		}
	}
	return nil
}

// openFirst opens the session of a folder; nil: there is none.
func openFirst(dir string, mode session.Mode) (session.Log, error) {
	ctx := context.Background()
	st := filestore.New(dir, filestore.Options{})
	for info, err := range st.List(ctx) {
		if err != nil {
			return nil, err
		}
		return st.Open(ctx, info.Ref, mode)
	}
	return nil, nil //nolint:nilnil // no answer, and no error
}
