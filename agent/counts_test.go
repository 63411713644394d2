package agent_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/testkit/o200k"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// An honest server with a real tokenizer, and content that costs far from a
// quarter of a token per character: the answer stays, nothing is cut, nothing is
// learned, and the size is what the server counts.
func TestContentOfAnyKind(t *testing.T) {
	var log, table, minified strings.Builder
	for i := range 400 {
		fmt.Fprintf(&log, "%s\nPASS test %d.%d\n", strings.Repeat("=", 100), i/10, i%10)
		fmt.Fprintf(&table, "│ %-20d │ %s │\n├%s┤\n", i, strings.Repeat(" ", 40), strings.Repeat("─", 65))
		fmt.Fprintf(&minified, `{"a%d":[%d,%d],"x":"%x"},`, i, i*7919, i*104729, i*15485863)
	}
	binary := make([]byte, 24_000)
	for i := range binary {
		binary[i] = byte(i * i >> 3 * 31)
	}
	for name, content := range map[string]string{
		"separators": log.String(), "a table": table.String(), "minified JSON": minified.String(), "base64": base64.StdEncoding.EncodeToString(binary),
		"spaces": strings.Repeat(strings.Repeat(" ", 79)+"\n", 500), "emoji": strings.Repeat("👩‍👩‍👧‍👦🇩🇪🏳️‍🌈", 600), "Chinese": strings.Repeat("服务器记录了所有请求。", 900),
	} {
		server := fake.New(fake.Call("1", "read", `{}`), fake.Call("2", "read", `{}`), fake.Call("3", "read", `{}`), fake.Say("I have read it."))
		server.Window = 200_000
		read := agent.Tool{Name: "read", Run: func(context.Context, agent.Call) (agent.Result, error) {
			return agent.Result{Content: texts(content)}, nil
		}}
		r := newRig(t, server, config{Summarizer: extract, Tools: []agent.Tool{read}})
		r.must("Read the log.")
		for _, e := range r.of(coppice.EventWarning) {
			t.Errorf("%s: %s", name, e.Warning)
		}
		msgs := r.messages()
		if n := len(server.Requests()); n != 4 || r.ends() != "" || msgs[len(msgs)-1].Text("") != "I have read it." {
			t.Errorf("%s: %d requests, compactions %q", name, n, r.ends())
		}
		size, err := r.session.Size(context.Background(), message.User(content))
		if err != nil {
			t.Fatal(err)
		}
		last := server.Requests()[3].Tokens
		if want := o200k.Count(content); size.Pending < want*8/10 || size.Pending > want*12/10 || size.Usage < last {
			t.Errorf("%s: %d tokens are pending, and the tokenizer counts %d (%+v)", name, size.Pending, want, size.Calibration)
		}
	}
}
