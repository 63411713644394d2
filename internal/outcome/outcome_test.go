package outcome

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		isError    bool
		want       Result
	}{
		{"pi ok", "a\n", false, Result{Body: "a\n"}},
		{"pi failed", "boom\n\nCommand exited with code 2", true, Result{Body: "boom\n\n", Code: 2, Known: true, Failed: true}},
		{"claude failed", "Exit code 2\nls: no", true, Result{Body: "\nls: no", Code: 2, Known: true, Failed: true}},
		{"codex", "Chunk ID: 1\nWall time: 0.5 seconds\nProcess exited with code 101\nOriginal token count: 3\nOutput:\nrunning 2 tests\n", false,
			Result{Body: "running 2 tests\n", Code: 101, Known: true, Failed: true}},
		{"codex running", "Chunk ID: 1\nWall time: 30 seconds\nProcess running with session ID 69824\nOutput:\nx\n", false, Result{Body: "x\n", Running: "69824"}},
		{"codex JSON", `{"output":"Success.\n","metadata":{"exit_code":0}}`, false, Result{Body: "Success.\n", Known: true}},
		{"gemini", "Command: npm test\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 1\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 1", false,
			Result{Body: "a\nb", Code: 1, Known: true, Failed: true}},
		{"claude background", "Command running in background with ID: b81f3d. Output is being written to: /tmp/b81f3d.output", false,
			Result{Body: "Command running in background with ID: b81f3d. Output is being written to: /tmp/b81f3d.output", Running: "b81f3d", Log: "/tmp/b81f3d.output"}},
		{"claude poll", "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stdout>\nx\n</stdout>", false, Result{Body: "x", Code: 1, Known: true, Failed: true}},
		{"claude poll, running", "<status>running</status>\n\n<stdout>\nx\n</stdout>", false, Result{Body: "x", Running: "?"}},
		{"job", "[1] 40213\n", false, Result{Body: "[1] 40213\n", PID: "40213"}},
		{"refused", "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …). To tell you how to proceed, the user said:\nuse tabs", true,
			Result{Refused: true, Words: "use tabs"}},
		{"another call failed", "<tool_use_error>Sibling tool call errored</tool_use_error>", true, Result{Skipped: true}},
		{"the user spoke first", "Skipped due to queued user message.", true, Result{Skipped: true}},
		{"wrong arguments", "InputValidationError: Bash failed due to the following issue: a required parameter is missing", true, Result{Skipped: true}},
		{"output that says so", "Sibling tool call errored", false, Result{Body: "Sibling tool call errored"}},
		{"aborted", "aborted by user after 12.3s", true, Result{Body: "aborted by user after 12.3s", Failed: true, Stopped: true}},
		{"timed out", "Command timed out after 120 seconds", true, Result{Body: "Command timed out after 120 seconds", Failed: true, Stopped: true}},
	} {
		if diff := cmp.Diff(tc.want, Read(tc.text, tc.isError)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func TestCount(t *testing.T) {
	for _, tc := range []struct {
		output, want string
		bad          bool
	}{
		{"....F\nFAILED tests/test_a.py::test_b - assert 6 == 5\n1 failed, 41 passed in 1.02s", "1 failed, 41 passed", true},
		{"======= 221 passed, 3 skipped in 5.98s =======", "221 passed, 3 skipped", false},
		{"running 2 tests\ntest a ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; finished in 0.01s\ntest result: ok. 3 passed; 0 failed; 0 ignored", "5 passed", false},
		{" Test Files  3 failed | 11 passed (14)\n      Tests  3 failed | 55 passed (58)\n", "3 failed, 55 passed", true},
		{" Test Files  1 passed (1)\n      Tests  1 passed (1)\n   Duration  3ms", "1 passed", false},
		{"Tests:       1 failed, 2 passed, 3 total\nTest Suites: 1 failed, 1 total", "1 failed, 2 passed", true},
		{"# tests 44\n# pass 44\n# fail 0\n", "44 passed", false},
		{"ℹ tests 3\nℹ pass 2\nℹ fail 1\n", "1 failed, 2 passed", true},
		{"  12 passing (30ms)\n  2 failing\n", "2 failed, 12 passed", true},
		{"OK (12 tests, 31 assertions)", "12 passed", false},
		{"Tests: 12, Assertions: 31, Failures: 1.", "1 failed, 11 passed", true},
		{"PASS: tests/test_quota\nFAIL: tests/test_quota_edge (expected 80, got 79)\n# TOTAL: 2\n# PASS:  1\n# FAIL:  1\nmake: *** [Makefile:31: test] Error 2", "1 failed, 1 passed", true},
		{"Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "1 failed, 4 passed", true},
		{"Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12", "12 passed", false},
		{"12 examples, 1 failure", "1 failed, 11 passed", true},
		{"Ran 12 tests in 0.1s\n\nOK", "12 passed", false},
		{"✖ 3 problems (3 errors, 0 warnings)", "✖ 3 problems (3 errors, 0 warnings)", true},
		{"Found 3 errors in 2 files.", "Found 3 errors in 2 files.", true},
		{"ok  \texample.com/radio/internal/stream\t0.310s", "1 package ok", false},
		{"--- FAIL: TestX (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s\nok  \texample.com/b\t0.2s", "1 package failed, 1 ok", true},
		{"100% tests passed, 0 tests failed out of 12", "12 passed", false},
		{"requests 48907  waits 9  errors 0", "requests 48907  waits 9  errors 0", false},
		{" 12 pass\n 0 fail\nRan 12 tests across 3 files.", "12 passed", false},
	} {
		got, ok := Count(tc.output)
		if !ok || got.String() != tc.want || got.Bad() != tc.bad {
			t.Errorf("%q: %v %q %+v", tc.output, ok, got.String(), got)
		}
	}
	for _, output := range []string{"", "hello", "shard 3 of 12 done", "wrote 540 bytes", "2 files changed, 5 insertions(+)"} {
		if got, ok := Count(output); ok {
			t.Errorf("%q counts: %+v", output, got)
		}
	}
}

func TestTelling(t *testing.T) {
	got := Telling("a\n\x1b[31merror TS2345: no\x1b[0m\nfine\nnpm error code 1\n", nil, true)
	if diff := cmp.Diff([]string{"error TS2345: no"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Exit code 2\nx", true)
	f.Add("Command: a\nOutput: b\nExit Code: 1", false)
	f.Add("<status>running</status>", false)
	f.Add("# pass 4\n3 failed | 2 passed (5)\nfailures=3", false)
	f.Fuzz(func(t *testing.T, text string, isError bool) {
		r := Read(text, isError)
		Count(r.Body)
		Telling(r.Body, nil, true)
		LastLine(text)
	})
}
