//go:build unix

package agent_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coppice-dev/coppice/provider/fake"
)

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
