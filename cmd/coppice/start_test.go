package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// Nothing of ours works before it is asked: no pattern, no table and no
// template is made at the start of the program.
func TestStart(t *testing.T) {
	cmd := exec.Command("coppice", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`init github\.com/coppice-dev/coppice/(\S+) .* (\d+) bytes, (\d+) allocs`).FindAllSubmatch(trace.Bytes(), -1)
	if len(lines) == 0 {
		t.Fatalf("no package of ours in %s", &trace)
	}
	total := 0
	for _, l := range lines {
		allocs, err := strconv.Atoi(string(l[3]))
		if err != nil {
			t.Fatal(err)
		}
		if total += allocs; allocs > 200 {
			t.Errorf("%s allocates %d times (%s bytes) when it is loaded: use sync.OnceValue, or internal/lazy", l[1], allocs, l[2])
		}
	}
	if total > 400 {
		t.Errorf("our packages allocate %d times when they are loaded", total)
	}
}
