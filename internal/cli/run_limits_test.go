package cli

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// A run stops at the limits of the settings, says so, and says what it used.
func TestRunLimits(t *testing.T) {
	for _, tt := range []struct {
		settings, says, used string
		code, requests       int
	}{
		{`"run":{}`, "", "used 3 calls, 3,300 tokens", 0, 3},
		{`"run":{"maxCalls":2}`, "stopped at a limit: run.maxCalls is 2", "used 2 calls, 2,200 tokens", 1, 2},
		{`"run":{"maxTokens":1100}`, "stopped at a limit: run.maxTokens is 1100", "used 1 call, 1,100 tokens", 1, 1},
		{`"run":{"maxUSD":5}`, "local/fake-1: its price is not known, so its calls do not count toward run.maxUSD", "used 3 calls, 3,300 tokens", 0, 3},
		{`"run":{"maxCalls":-1}`, "run.maxCalls must be 0 or more", "used 3 calls, 3,300 tokens", 0, 3},
	} {
		steps := []fake.Step{fake.Call("1", "find", `{"pattern":"*.go"}`), fake.Call("2", "find", `{"pattern":"*.md"}`), fake.Say("Nothing there.")}
		for i := range steps {
			steps[i].Usage = &message.Usage{Input: 1000, Output: 100}
		}
		server := fake.New(steps...)
		code, _, errs := runSet(t, server, t.TempDir(), tt.settings, "run", "-p", "look")
		server.Close()
		if code != tt.code || len(server.Requests()) != tt.requests || !strings.Contains(errs, tt.says) || !strings.Contains(errs, tt.used+"\n") {
			t.Errorf("%s: exit %d, %d requests\n%s", tt.settings, code, len(server.Requests()), errs)
		}
		code, out, _ := runSet(t, fake.New(fake.Step{Text: "ok", Usage: &message.Usage{Input: 1000, Output: 100}}), t.TempDir(), tt.settings, "run", "-p", "look", "--json")
		if want := `{"type":"run_end","used":{"calls":1,"input":1000,"output":100,"cacheRead":0,"cacheWrite":0,"unpriced":true}}`; code > 1 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d\n%s", tt.settings, code, out)
		}
	}
}
