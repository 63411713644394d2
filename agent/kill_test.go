//go:build unix

package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// Variables by which the test starts itself as the worker that is killed.
const (
	workerDir = "COPPICE_TEST_WORKER_DIR"
	workerURL = "COPPICE_TEST_WORKER_URL"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerDir); dir != "" {
		if err := worker(dir, os.Getenv(workerURL)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// worker starts the job, or goes on with it where there is a session already.
func worker(dir, url string) error {
	ctx := context.Background()
	st := filestore.New(dir, filestore.Options{})
	var log session.Log
	var err error
	for info, listErr := range st.List(ctx) {
		if err = listErr; err == nil {
			log, err = st.Open(ctx, info.Ref, session.Mode{Write: true})
		}
		break
	}
	resumed := log != nil
	if err == nil && !resumed {
		log, err = st.Create(ctx, session.Header{Cwd: dir})
	}
	if err != nil {
		return err
	}
	defer log.Close()
	d, _ := dialects.ByName("anthropic")
	model := &provider.Bound{Client: provider.New(provider.ProviderConfig{BaseURL: url, APIKey: "fake-key"}, d, nil),
		Model: message.Model{Provider: "fake", ID: "fake-1", API: "anthropic", Window: 32_000, MaxOutput: 8192}}
	a, err := agent.New(agent.Config{Session: session.New(log, session.Options{}), Model: model, NoBackground: true,
		Tools: []agent.Tool{scan(), write()}, Summarizer: &summarize.Ladder{Extract: true}})
	if err != nil {
		return err
	}
	defer a.Close()
	events := a.Run(ctx, "Scan all parts. "+planted[0])
	if resumed {
		events = a.Resume(ctx)
	}
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

// A job whose process is killed twice goes on from the log and finishes.
func TestKilledTwice(t *testing.T) {
	const calls = 24
	var n atomic.Int64
	kill := make(chan struct{})
	server := fake.New(fake.Step{Answer: func(fake.Request) fake.Step {
		switch i := n.Add(1); {
		case i == 1:
			return fake.Call("w", "write", `{"path":"deploy/blue-harbour.yaml","content":"replicas: 3"}`)
		case i == 9 || i == 17:
			kill <- struct{}{}
			return fake.Stall("I will")
		case i < calls:
			return fake.Call(fmt.Sprintf("s%d", i), "scan", fmt.Sprintf(`{"part":%d}`, i))
		}
		return fake.Say("All is scanned.")
	}})
	defer server.Close()
	server.Window = 32_000
	// The workers' requests come from other processes; one of our own tells the
	// race detector that the window was set before them.
	resp, err := http.Get(server.BaseURL("anthropic"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	dir := t.TempDir()
	start := func() (*exec.Cmd, *strings.Builder) {
		cmd, errs := exec.Command(os.Args[0]), &strings.Builder{}
		cmd.Env = append(os.Environ(), workerDir+"="+dir, workerURL+"="+server.BaseURL("anthropic"))
		cmd.Stderr = errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, errs
	}
	for range 2 {
		cmd, errs := start()
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-kill:
		case err := <-ended:
			t.Fatalf("the worker ended by itself: %v: %s", err, errs)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
	}
	cmd, errs := start()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	r := &rig{t: t, server: server}
	r.sound()
	requests := server.Requests()
	last := requests[len(requests)-1].Text()
	for _, fact := range planted {
		if !strings.Contains(last, fact) {
			t.Errorf("the last request does not say %q", fact)
		}
	}
	if len(requests) != calls {
		t.Errorf("%d requests, want %d", len(requests), calls)
	}
}
