// Gensample writes the sample session to standard output:
//
//	go run ./examples/gensample > examples/sample-session.jsonl
//
// The session is some work on an invented Go service (story*.go). Its source tree
// is made from templates (workspace.go), tools work on that tree (tools.go), and
// the recorder writes everything as a session file (recorder.go). Each run writes
// the same bytes.
package main

import (
	"fmt"
	"os"
)

func main() {
	if _, err := os.Stdout.Write(generate()); err != nil {
		fmt.Fprintln(os.Stderr, "gensample:", err)
		os.Exit(1)
	}
}

func generate() []byte {
	r := newRecorder()
	r.header()
	r.statements()
	r.latency()
	r.idempotency()
	r.names()
	r.apiDocs()
	r.webhooks()
	return r.out.Bytes()
}
