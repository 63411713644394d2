package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// seeded returns numbers that depend on a name only.
func seeded(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 11))
}

var (
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	subtest  = regexp.MustCompile(`(?m)^\t\t\{"([^"]+)", +func`)
)

// goTest is what "go test -v" prints for the tests of a folder. Tests in failures
// fail with that output.
func goTest(dir string, failures map[string]string) func(workspace) string {
	return func(ws workspace) string {
		var b strings.Builder
		rng := seeded(dir)
		failed := false
		for _, p := range ws.paths(dir + "/") {
			if !strings.HasSuffix(p, "_test.go") {
				continue
			}
			for _, m := range testFunc.FindAllStringSubmatch(ws[p], -1) {
				name := m[1]
				fmt.Fprintf(&b, "=== RUN   %s\n", name)
				if out, ok := failures[name]; ok {
					failed = true
					fmt.Fprintf(&b, "%s\n--- FAIL: %s (%.2fs)\n", out, name, rng.Float64()/4)
					if strings.Contains(out, "panic:") {
						return b.String() + fmt.Sprintf("FAIL\texample.com/ledgerline/%s\t%.3fs\nFAIL", dir, 0.2+rng.Float64())
					}
					continue
				}
				b.WriteString(subtests(name, ws[p]))
				fmt.Fprintf(&b, "--- PASS: %s (%.2fs)\n", name, rng.Float64()/20)
			}
		}
		if failed {
			fmt.Fprintf(&b, "FAIL\nFAIL\texample.com/ledgerline/%s\t%.3fs\nFAIL", dir, 0.2+rng.Float64())
		} else {
			fmt.Fprintf(&b, "PASS\nok  \texample.com/ledgerline/%s\t%.3fs", dir, 0.2+rng.Float64())
		}
		return b.String()
	}
}

func subtests(name, src string) string {
	if !strings.HasSuffix(name, "Validate") {
		return ""
	}
	var b strings.Builder
	for _, m := range subtest.FindAllStringSubmatch(src, -1) {
		fmt.Fprintf(&b, "=== RUN   %s/%s\n", name, strings.ReplaceAll(m[1], " ", "_"))
	}
	for _, m := range subtest.FindAllStringSubmatch(src, -1) {
		fmt.Fprintf(&b, "    --- PASS: %s/%s (0.00s)\n", name, strings.ReplaceAll(m[1], " ", "_"))
	}
	return b.String()
}

// together runs the tests of several folders.
func together(dirs ...string) func(workspace) string {
	return func(ws workspace) string {
		var parts []string
		for _, d := range dirs {
			parts = append(parts, goTest(d, nil)(ws))
		}
		return strings.Join(parts, "\n")
	}
}

// stack is what a panicking test prints. Frames are "function place", the
// innermost first.
func stack(message string, frames ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "panic: %s [recovered, repanicked]\n\ngoroutine 21 [running]:\n", message)
	b.WriteString("testing.tRunner.func1.2({0x6d1c40, 0x7a3b10})\n\t/usr/local/go/src/testing/testing.go:1872 +0x237\n")
	for i, f := range frames {
		function, place, _ := strings.Cut(f, " ")
		fmt.Fprintf(&b, "example.com/ledgerline/%s\n\t/home/ines/src/ledgerline/%s +0x%x\n", function, place, 0x1a5+i*0x4c)
	}
	b.WriteString("testing.tRunner(0xc000138700, 0x71e2a8)\n\t/usr/local/go/src/testing/testing.go:1934 +0xea\n")
	b.WriteString("created by testing.(*T).Run in goroutine 1\n\t/usr/local/go/src/testing/testing.go:1997 +0x465")
	return b.String()
}

// requestLog is the access log of the API on a morning, one JSON object a
// line. Payments are slow: each asks for the invoice and the customer of
// every earlier payment.
func requestLog(lines int) string {
	rng := seeded("request log")
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	routes := []string{"GET /v1/invoices", "POST /v1/payments", "GET /v1/payments/{id}", "GET /v1/customers", "POST /v1/payments",
		"POST /v1/invoices/{id}/open", "GET /v1/refunds", "POST /v1/payments"}
	var b strings.Builder
	for range lines {
		now = now.Add(time.Duration(rng.Int64N(900)) * time.Millisecond)
		route := routes[rng.IntN(len(routes))]
		ms, queries, status := 4+rng.Float64()*22, 2+rng.IntN(3), 200
		if strings.HasPrefix(route, "POST /v1/payments") {
			queries = 40 + rng.IntN(160)
			ms, status = float64(queries)*(3.1+rng.Float64()), 201
		}
		if rng.IntN(40) == 0 {
			status = 409
		}
		fmt.Fprintf(&b, `{"time":"%s","level":"INFO","msg":"request","route":"%s","account":"acct_%04d","status":%d,"ms":%.1f,"queries":%d,"trace":"%012x"}`+"\n",
			now.Format("2006-01-02T15:04:05.000Z"), route, 1000+rng.IntN(60), status, ms, queries, rng.Uint64()>>16)
	}
	return b.String()
}

// deliveryLog is what the webhook worker wrote while an endpoint was down.
func deliveryLog(lines int) string {
	rng := seeded("delivery log")
	now := time.Date(2026, 3, 1, 22, 10, 0, 0, time.UTC)
	kinds := []string{"payment.captured", "payment.settled", "invoice.open", "refund.sent", "payout.sent"}
	errs := []string{"answered 503", "answered 502", "dial tcp 203.0.113.24:443: connect: connection refused",
		"context deadline exceeded (Client.Timeout exceeded while awaiting headers)"}
	var b strings.Builder
	for i := range lines {
		now = now.Add(time.Duration(200+rng.Int64N(5000)) * time.Millisecond)
		level, result := "INFO", "delivered"
		if i%3 != 0 {
			level, result = "WARN", errs[rng.IntN(len(errs))]
		}
		fmt.Fprintf(&b, "%s %s webhook event=ev_%06x kind=%s endpoint=whe_%03d took=%dms result=%q\n", now.Format("15:04:05.000"), level,
			rng.Uint32()>>8, kinds[rng.IntN(len(kinds))], 1+rng.IntN(40), 30+rng.IntN(9000), result)
	}
	return b.String()
}

// gitLog is a history of the invented service.
func gitLog(n int) string {
	rng := seeded("git log")
	day := time.Date(2026, 2, 27, 17, 40, 0, 0, time.UTC)
	what := []string{"do not send reminders for void invoices", "round fees half up", "list pages by id", "mute endpoints after 25 failures",
		"show the tax apart", "refuse refunds above the payment", "log the trace id", "close idle connections", "check the IBAN before a payout",
		"answer disputes only once", "count by status for the dashboard", "keep the memo on one page"}
	things := domain()
	var b strings.Builder
	for range n {
		day = day.Add(-time.Duration(20+rng.IntN(900)) * time.Minute)
		fmt.Fprintf(&b, "%07x %s %s: %s\n", rng.Uint32()>>4, day.Format("2006-01-02 15:04"), things[rng.IntN(len(things))].Pkg, what[rng.IntN(len(what))])
	}
	return b.String()
}
