package state_test

import (
	"testing"

	"github.com/coppice-dev/coppice/internal/state"
)

// What ends an item, and what only looks as if it did.
func TestWhatEnds(t *testing.T) {
	for _, tc := range []struct {
		name, scene string
		want        []string // items that are there
		not         []string // items that are not
	}{
		{"other tags close nothing", `agent: pi
---
U Test.
$ go test -tags itest -v ./internal/webhook/
| --- FAIL: TestRetryStopsWhenMuted (0.15s)
| FAIL	example.com/webhook	0.5s
! 1
$ go test -v ./...
| ok  	example.com/webhook	0.5s
`, []string{"failure open: go test -tags itest"}, nil},
		{"another variable closes nothing", `agent: pi
---
U Build.
$ GOOS=windows go build ./...
| lock.go:12:10: undefined: syscall.Flock
! 1
$ GOOS=linux go build ./...
`, []string{"failure open: GOOS=windows go build"}, nil},
		{"a variable that was missing", `agent: pi
---
U Test.
$ pytest -q
| E   KeyError: 'DATABASE_URL'
! 1
$ DATABASE_URL=sqlite:// pytest -q
| 3 passed in 0.1s
`, []string{"failure resolved: pytest -q"}, nil},
		{"where programs are found changes nothing", `agent: pi
---
U Test.
$ pytest -q
| E   ModuleNotFoundError: No module named 'app'
! 2
$ PYTHONPATH=src pytest -q --tb short
| 3 passed in 0.1s
`, []string{"failure resolved: pytest -q"}, nil},
		{"a short run is not the whole", `agent: pi
---
U Test.
$ go test ./...
| --- FAIL: TestSlow (9.00s)
! 1
$ go test -short ./...
| ok  	kiosk	0.5s
`, []string{"failure open: go test ./..."}, nil},
		{"one of two failing tests", `agent: pi
---
U Repair the till.
$ go test ./till
| --- FAIL: TestVoid (0.00s)
| --- FAIL: TestSum (0.00s)
| FAIL	kiosk/till	0.1s
! 1
$ go test ./till -run TestVoid
| ok  	kiosk/till	0.1s
`, []string{"failure open: go test ./till…TestSum"}, []string{"failure open: go test ./till…TestVoid"}},
		{"scripts in commands come one after the other", `agent: pi
---
U Look.
$ python3 -c "import sharp"
| ModuleNotFoundError: No module named 'sharp'
! 1
$ python3 -c "print(1)"
| 1
`, []string{"failure resolved: python3 -c"}, nil},
		{"a file that was restored", `agent: pi
---
U Go.
E a.py
- width = 3
+ width = 4
$ git commit -qam "Widen" && git log --oneline -1
| 1111aaa Widen
E a.py
- height = 9
+ height = 7
E b.py
- 1
+ 2
$ git checkout -- a.py b.py
`, []string{"change current: width 3 → 4", "file committed: a.py — modified", "file exists: b.py — read"}, []string{"change: height", "change: 1"}},
		{"everything is thrown away, but what is new", `agent: pi
cwd: /home/mara/src/kiosk
---
U Go.
E a.py
- width = 3
+ width = 4
W new.py
| x = 1
$ git reset --hard
| HEAD is now at 1111aaa Widen
`, []string{"file exists: new.py — created"}, []string{"change: width"}},
		{"a file that was moved twice", `agent: pi
---
U Go.
$ git mv tide.go lib/tide.go
$ git mv lib/tide.go core/tide.go
`, []string{"file moved: tide.go — core/tide.go"}, []string{"file moved: lib/tide.go"}},
		{"refused, then allowed", `agent: claude
cwd: /home/mara/src/kiosk
---
U Rename it.
E /home/mara/src/kiosk/till.go
- total int
+ sum int
! refused: wait until I have committed
U Committed, go ahead.
E /home/mara/src/kiosk/till.go
- total int
+ sum int
`, []string{"decision moot: till.go", "rule withdrawn: wait until"}, nil},
		{"a way that is called by its label", `agent: pi
---
U Make it faster.
A Option B, one joined query. The cache would have to be emptied.
E orders.py
- many()
+ one()
`, []string{"decision accepted: Option B, one joined query."}, nil},
		{"the user's choice by its label", `agent: pi
---
U Which ways are there?
A Option A: a cache. Option B: one joined query. Shall I do A?
U Option B, one joined query.
`, []string{"decision accepted: Option B, one joined query."}, []string{"decision accepted: Option A", "decision proposed"}},
		{"a decision that was reversed", `agent: pi
---
U Decide.
A Decision: We keep the tides in Redis because reads are hot.
U It costs too much.
A Decision: We keep the tides in SQLite instead of Redis.
`, []string{"decision replaced: Redis because", "decision accepted: SQLite"}, nil},
		{"a decision that the user turned over", `agent: pi
---
U Choose.
A I decided on GraphQL, because the board needs few fields. The API speaks GraphQL.
U No, take REST instead.
`, []string{"decision rejected: GraphQL", "finding replaced: GraphQL"}, nil},
		{"a cause that was denied", `agent: pi
---
U Why?
A The cause is the network: the round trip takes 2 seconds.
U It is slow locally, too.
A Then it is not the network. The cause is the cache: it is emptied at each request.
`, []string{"finding replaced: network", "finding current: cache"}, nil},
		{"what was said of a change that was changed again", `agent: pi
---
U Tune it.
E db.py
- POOL = 20
+ POOL = 50
A The pool has 50 connections now, because the server allows 100.
U Take 80.
E db.py
- POOL = 50
+ POOL = 80
A The pool has 80 connections now.
`, []string{"finding replaced: 50 connections", "finding current: 80 connections"}, nil},
		{"a question is put off", `agent: pi
---
U Compute the age.
A Does somebody born on 29 February turn a year older on 28 February or on 1 March?
U First tell me how many such members there are.
`, []string{"question open: 29 February"}, nil},
		{"a benchmark measured twice", `agent: pi
---
U Faster.
$ go test -bench Parse ./parse
| BenchmarkParse-8   	  500000	      2451 ns/op
| ok  	kiosk/parse	1.2s
$ go test -bench Parse ./parse
| BenchmarkParse-8   	 1500000	       812 ns/op
| ok  	kiosk/parse	1.1s
`, []string{"measure current: BenchmarkParse 812 ns/op", "run ended: go test…812 ns/op (before: 2451 ns/op)"}, nil},
		{"an exception", `agent: pi
---
U Never push to main. Repair the pier.
A Repaired.
U For this hotfix only you may push to main.
`, []string{"rule in-force: Never push to main.", "rule limited: For this hotfix only"}, nil},
		{"taken back after an answer", `agent: pi
---
U Add a dark theme.
A I look at the styles.
U Never mind, drop it.
`, []string{"request withdrawn: Add a dark theme."}, []string{"rule", "request current"}},
		{"a question that the answer forgets", `agent: pi
---
U Rotate the logs. And how long do we keep the logs of the crane?
A The rotation is set up.
`, []string{"question open: how long"}, nil},
		{"joined: the first of two runs of one program", `agent: pi
---
U Build.
$ make build && make install
| Makefile:4: *** missing separator.  Stop.
! 2
`, []string{"failure open: make build…missing separator"}, []string{"run ended: make install", "failure open: make install"}},
		{"joined: it does not build, so no test ran", `agent: pi
---
U Build.
$ go build ./... && go test ./...
| till/till.go:9:2: undefined: sum
! 1
`, []string{"failure open: go build"}, []string{"failure open: go test", "run ended: go test"}},
		{"joined: the output names what failed", `agent: pi
---
U Build.
$ make lint; make test
| make: *** [Makefile:7: lint] Error 1
| 12 tests passed
`, []string{"failure open: make lint", "run ended: make test — 12 passed"}, nil},
		{"what was stopped listens no longer", `agent: pi
---
U Start it.
& 5001 python3 -m http.server 8080
A It listens on 8080.
U Use 8081.
$ kill 5001
& 5002 python3 -m http.server 8081
A It listens on 8081.
`, []string{"finding replaced: 8080", "finding current: 8081"}, nil},
		{"two servers of one interpreter", `agent: pi
---
U Start both.
& 11 python3 api.py
& 12 python3 web.py
`, []string{"run running: python3 api.py", "run running: python3 web.py"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := fold(t, tc.scene)
			for _, want := range tc.want {
				if !has(s, want) {
					t.Errorf("missing: %s", want)
				}
			}
			for _, not := range tc.not {
				if has(s, not) {
					t.Errorf("there: %s", not)
				}
			}
			if t.Failed() {
				t.Log("\n" + dump(s))
			}
		})
	}
}

// What the assistant asked before a cut is answered after it.
func TestCarriedQuestion(t *testing.T) {
	all, _ := sources(t, "agent: pi\n---\nU Do it.\nA Done. Shall the numbers be strings?\nU No, numbers.\nA Good.\n")
	at, _, _ := state.FoldAt(t.Context(), all, 2, state.Options{})
	if !has(at, "question open: strings") {
		t.Fatal(dump(at))
	}
	if again := state.Fold(all[2:], state.Options{Carried: state.Decode(at.Encode(0))}); has(again, "question open") {
		t.Error(dump(again))
	}
}
