package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestExitCode(t *testing.T) {
	noise := strings.Repeat("some line of output\n", 100)
	for _, tt := range []struct {
		text string
		code int
		ok   bool
	}{
		{noise + "\ncommand exited with code 2", 2, true},
		{"Exit code 127\n" + noise, 127, true},
		{"Chunk ID: 1\nProcess exited with code 1\n" + noise, 1, true},
		{"<returncode>-9</returncode>\n" + noise, -9, true},
		{`{"exit_code": 0, "output": "` + noise, 0, true},
		{noise, 0, false},
		{noise + "the exit code is in the log\n" + noise, 0, false},
	} {
		if code, ok := ExitCode(tt.text); code != tt.code || ok != tt.ok {
			t.Errorf("%.60q: %d, %v", tt.text, code, ok)
		}
	}
}

func TestFailure(t *testing.T) {
	noise := strings.Repeat("compiling module harbour\n", 200)
	long := strings.Repeat("word ", 1000)
	for _, tt := range []struct{ name, text, want string }{
		{"make", long + "\nmake: *** [target0] Error 2: undefined reference to pilot_0", "make: *** [target0] Error 2: undefined reference to pilot_0"},
		{"in the middle, and a code at the end", noise + "main.go:7:2: undefined: x\n" + noise + "\ncommand exited with code 1", "main.go:7:2: undefined: x\ncommand exited with code 1"},
		{"a code in front", "Exit code 1\n" + noise + "TypeError: x is not a function\n" + noise, "Exit code 1\nTypeError: x is not a function\ncompiling module harbour"},
		{"python", noise + "Traceback (most recent call last):\n  File \"a.py\", line 3\nModuleNotFoundError: No module named 'numpy'", "Traceback (most recent call last):\nFile \"a.py\", line 3\nModuleNotFoundError: No module named 'numpy'"},
		{"rust", noise + "error[E0382]: borrow of moved value: `v`\n" + noise, "error[E0382]: borrow of moved value: `v`\ncompiling module harbour"},
		{"go test", "ok  \ta\t0.1s\n--- FAIL: TestTide (0.00s)\n    tide_test.go:9: got 3, want 4\nFAIL\texit status 1", "--- FAIL: TestTide (0.00s)\ntide_test.go:9: got 3, want 4\nFAIL\texit status 1"},
		{"a signal", noise + "Segmentation fault (core dumped)", "Segmentation fault (core dumped)"},
		{"nothing tells: the end", "one\ntwo\nthree\nfour\n\n", "two\nthree\nfour"},
		{"far into a line", strings.Repeat("x ", 500) + "fatal: not a git repository" + strings.Repeat(" y", 500), ""},
	} {
		got := Failure(tt.text, 1200)
		if tt.want == "" {
			if !strings.Contains(got, "not a git repository") || len(got) > 400 {
				t.Errorf("%s: %q", tt.name, got)
			}
		} else if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	var many strings.Builder
	for i := range 500 {
		many.WriteString("a.go:" + strings.Repeat("1", 1+i%3) + ": error: undefined: first\n")
	}
	got := Failure("FIRST error\n"+many.String()+"exit status 2", 1200)
	if len(got) > 1300 || !strings.HasPrefix(got, "FIRST error\n") || !strings.HasSuffix(got, "\nexit status 2") || !strings.Contains(got, "\n…\n") {
		t.Errorf("many errors: %d bytes %q", len(got), got)
	}
}

func TestFailureIsBounded(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "\n", "error ", "日本語のテキスト", "🏷", "é", strings.Repeat("x", 3000), "exit code 3", "\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		got := Failure(text, 1200)
		if len(got) > 2600 || !utf8.ValidString(got) { // one line may be 300 characters of four bytes
			t.Fatalf("%d bytes: %q", len(got), got)
		}
	})
}

// What says no more than where a failure is, and what was compared, stays with the
// line that tells of it; in whatever language.
func TestDetailsOfAFailure(t *testing.T) {
	noise := strings.Repeat("alpha beta gamma delta buoy tide at the pier\n", 60)
	for _, tt := range []struct{ name, text, not string }{
		{"go test", "--- FAIL: TestLedger (0.02s)\nledger_test.go:41: got 3, want 4\nFAIL\texample.com/x\t0.1s", ""},
		{"python", "Traceback (most recent call last):\nFile \"a.py\", line 3, in <module>\nrun()\nFile \"b.py\", line 9, in run\nZeroDivisionError: division by zero", ""},
		{"npm", "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1", ""},
		{"rust", "thread 'main' panicked at src/lib.rs:4:5:\nassertion `left == right` failed\nleft: 1\nright: 2", ""},
		{"rustc", "error[E0382]: borrow of moved value: `v`\n--> src/main.rs:12:5", ""},
		{"jest", "expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4", ""},
		{"junit", "java.lang.AssertionError: wrong sum\nexpected:<3> but was:<4>\nat tide.LedgerTest.sum(LedgerTest.java:41)", ""},
		{"node", "TypeError: x is not a function\nat run (/srv/app/index.js:3:4)", ""},
		{"go panic", "panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\n/srv/p/main.go:12 +0x1d", ""},
		{"French", "ERREUR: la base est verrouillée", ""},
		{"French, a compiler", "main.c:3:5: erreur: « x » non déclaré", ""},
		{"French, a shell", "Échec de l'ouverture du fichier", ""},
		{"German", "Datei oder Verzeichnis nicht gefunden", ""},
		{"German, a compiler", "main.c:3:5: Fehler: »x« nicht deklariert", ""},
		{"German, access", "Zugriff verweigert", ""},
		{"Spanish", "no se pudo abrir el archivo", ""},
		{"Italian", "impossibile aprire il file", ""},
		{"Portuguese", "não foi possível abrir o arquivo", ""},
		{"Russian", "ОШИБКА: файл не найден", ""},
		{"Chinese", "错误：找不到文件", ""},
		{"Japanese", "エラー: ファイルが見つかりません", ""},
		{"a place far from any failure", "FATAL: stop\n" + noise + "src/main.go:12: package main", "src/main.go:12"},
		{"a style sheet", "left: 10px\nright: 4px", "left: 10px\nright: 4px\nalpha"},
	} {
		got := Failure(noise+tt.text+"\n"+noise, 1200)
		for line := range strings.SplitSeq(tt.text, "\n") {
			if tt.not == "" && !strings.Contains(got, line) && line != "run()" {
				t.Errorf("%s: %q is not in %q", tt.name, line, got)
			}
		}
		if tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
