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

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
)

// The long job, whose process is killed twice: it continues from the log and
// finishes, and no fact from the first round is lost.
func TestKilledTwice(t *testing.T) {
	for _, dialect := range jobDialects {
		t.Run(dialect, func(t *testing.T) { killedTwice(t, dialect, jobRounds()) })
	}
}

func killedTwice(t *testing.T, dialect string, rounds int) {
	// A request is lost with each of the two processes that are killed.
	first, second, last := int64(rounds/3), int64(2*rounds/3), int64(rounds+4)
	var n atomic.Int64
	kill := make(chan struct{})
	server := fake.New(fake.Step{Answer: func(fake.Request) fake.Step {
		switch i := n.Add(1); {
		case i == 1:
			return fake.Call("w", "write", `{"path":"deploy/blue-harbour.yaml","content":"replicas: 3"}`)
		case i == first || i == second:
			kill <- struct{}{}
			return fake.Stall("I will")
		case i < last:
			return fake.Call(fmt.Sprintf("s%d", i), "scan", fmt.Sprintf(`{"part":%d}`, i))
		}
		return fake.Say("All is scanned.")
	}})
	defer server.Close()
	server.Window, server.MaxBytes = jobWindow, jobMaxBytes
	// The workers' requests come from other processes; one of our own tells the
	// race detector that the window was set before them.
	resp, err := http.Get(server.BaseURL(dialect))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	dir := t.TempDir()
	var told []string
	for turn := range 3 {
		var out, errs strings.Builder
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerDir+"="+dir, workerURL+"="+server.BaseURL(dialect), workerDialect+"="+dialect)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-kill:
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended
		case err := <-ended:
			if turn < 2 || err != nil {
				t.Fatalf("the worker ended by itself: %v: %s", err, &errs)
			}
		}
		told = append(told, strings.Split(strings.TrimSpace(out.String()), "\n")...)
	}
	log, err := openFirst(dir, session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	r := &rig{t: t, server: server, session: must.Get(coppice.New(log, coppice.Options{}))}
	r.remembers()
	if n := int64(len(server.Requests())); n != last {
		t.Errorf("%d requests, want %d", n, last)
	}
	r.finished(rounds, told)
}
