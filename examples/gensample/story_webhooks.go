package main

import "strings"

// The last job, with another model: webhooks that are repeated. One test
// still fails when the context is full.

func (r *recorder) webhooks() {
	r.shell("git status --short", changedFiles())
	r.use(model{api: "openai-completions", provider: "local", id: "qwen3-coder-30b"})
	r.thinking("low")
	r.user("I switched to the model on the machine under my desk; the same rules hold. Sixth job: webhooks are sent once and lost when the merchant's server is down. Repeat them with growing pauses, honour Retry-After, mute an endpoint after 25 failures in a row. Start with what happened last night.")
	r.act("Last night's log first, then the sender and the endpoint model.", "",
		prints("journalctl -u ledgerline-worker --since '2026-03-01 22:10' -o cat | head -100", deliveryLog(100)),
		read("internal/webhook/deliver.go"), read("internal/endpoint/endpoint.go"))
	r.act("About two thirds failed with 502, 503 or refused connections: worth repeating. Endpoint has Failures and a status muted. Is anything counting failures today?", "Two thirds of the failures are temporary. Who counts `Failures` today?",
		grep(`Failures|StatusMuted|Mute`, "internal"), read("internal/endpoint/store.go"), read("internal/httpapi/endpoint.go"))
	r.aborted("Nobody counts. I could use a library for back-off, for example cenkalti/backoff, and add it to go.mod with", "I'll add a back-off library and")
	r.user("No. No new dependencies, as I said this morning. Write it yourself, it is thirty lines.")
	r.act("Right. Plain code: Policy with Pause, a Worker over a Queue interface, all times through Clock.", "Of course. Own code, with clock and jitter passed in so that tests are exact.",
		write("internal/webhook/retry.go", script("retry.go")), write("internal/webhook/retry_test.go", script("retry_test.go")))
	r.act("", "", failing(bash("go test -v ./internal/webhook/", goTest("internal/webhook", map[string]string{
		"TestRetryStopsWhenMuted": "    retry_test.go:142: 30 deliveries wait, want 24: a muted endpoint gets nothing new",
	}))))
	r.act("one() mutes but goes on to Later for every delivery. After muting it should be done with it.", "One fails: after muting, deliveries are still put back.",
		edit("internal/webhook/retry.go", "\tif failures >= w.Policy.Muted {\n\t\tif err := w.Queue.Mute(ctx, d.EndpointID); err != nil {\n\t\t\treturn fmt.Errorf(\"webhook mute: %w\", err)\n\t\t}\n\t}\n",
			"\tif failures == w.Policy.Muted {\n\t\tif err := w.Queue.Mute(ctx, d.EndpointID); err != nil {\n\t\t\treturn fmt.Errorf(\"webhook mute: %w\", err)\n\t\t}\n\t\treturn w.Queue.Done(ctx, d)\n\t}\n"))
	r.act("", "", failing(bash("go test -v ./internal/webhook/", goTest("internal/webhook", map[string]string{
		"TestRetryStopsWhenMuted": "    retry_test.go:142: 29 deliveries wait, want 24: a muted endpoint gets nothing new",
	}))))
	r.act("Still failing: 29. The comparison is now true only once, for the 25th failure; the 26th to 30th go on to Later. But >= alone is not the whole answer either: deliveries that are already waiting in a real queue would be handed out again and fail again. Where the check belongs depends on how muting is stored. Look at the code again before I patch a third time.", "29 now, still wrong. Before I patch again: how is muting stored, and who reads it?",
		read("internal/webhook/retry.go"), read("internal/endpoint/store_test.go"), grep(`events\.Publish`, "internal"))
	r.act("Events are published by the handlers and nothing on the way reads Endpoint.Status. So the queue has to: Put only takes enabled endpoints. Subscription and coupon are the next publishers; do they publish inside a transaction?", "Nothing reads `Status` on the way. The queue must. Do publishers run inside a transaction?",
		read("internal/subscription/subscription.go"), read("internal/subscription/store.go"), read("internal/coupon/store.go"))
	r.act("They do not: each handler publishes after its update. That leaves a gap when the process dies in between, but closing it is another job. Write the queue in PostgreSQL with its migration; the test needs the database.", "Not in a transaction: an event can be lost if the process dies in between. Noted, not part of this. The queue:",
		write("migrations/0032_deliveries.up.sql", script("0032_deliveries.up.sql")), write("internal/webhook/pgqueue.go", script("pgqueue.go")))
	r.act("", "", failing(bash("go vet ./... && go test -tags itest -v ./internal/webhook/", goTest("internal/webhook", map[string]string{
		"TestRetryStopsWhenMuted": "    retry_test.go:142: 29 deliveries wait, want 24: a muted endpoint gets nothing new",
	}))), prints("journalctl -u ledgerline-worker --since '2026-03-02 06:00' -o cat | head -80", deliveryLog(80)))
	r.act("The rest of the tree: did anything else break? Run all of it, and read what is left of the dispute code, which publishes twice.", "Everything else:",
		bash("go test -v ./...", together("internal/coupon", "internal/customer", "internal/dispute", "internal/endpoint", "internal/idempotency", "internal/invoice",
			"internal/payment", "internal/payout", "internal/refund", "internal/statement", "internal/subscription", "internal/text")),
		read("internal/dispute/store.go"))
	r.answer("", "State of the webhooks: policy, worker and queue are written (`retry.go`, `pgqueue.go`), no new dependency. `TestRetryStopsWhenMuted` still FAILS (29 deliveries wait, want 24): the check for muting runs only on the 25th failure, later ones are put back.\n\nTodo list:\n- [x] statements, invoice tax, `Outstanding`, idempotency keys, labels\n- [ ] `TestRetryStopsWhenMuted`: done with a delivery as soon as its endpoint is muted\n- [x] queue in PostgreSQL (`pgqueue.go`), migration 0032, no test yet\n- [ ] `StatusError` from `Sender.Send`, with Retry-After\n- [ ] refund must have the payment's currency\n- [ ] payout batch sums: check the worker's SQL\n- [ ] `endpoint.URL` must begin with https\n- [ ] test of `PGQueue`\n- [ ] credentials in `deploy/staging.env` to the vault (Ines)")
	r.user("Fix the failing test first, then the test of the queue. Question before you start: what happens to deliveries that are already waiting when an endpoint is muted, do they stay or go?")
}

// changedFiles is what git shows after the first jobs.
func changedFiles() string {
	changed := []string{"docs/changelog.md", "internal/httpapi/payment.go", "internal/httpapi/server.go", "internal/httpapi/testserver_test.go",
		"internal/invoice/invoice.go", "internal/invoice/store.go", "internal/invoice/store_test.go", "internal/statement/totals.go",
		"internal/statement/totals_test.go", "internal/text/truncate.go"}
	added := []string{"docs/adr/0012-idempotency-keys.md", "docs/api/", "internal/httpapi/idempotent.go", "internal/idempotency/",
		"internal/statement/currencies_test.go", "internal/text/truncate_test.go", "migrations/0031_idempotency_keys.up.sql"}
	for _, t := range domain() {
		added = append(added, "internal/httpapi/"+t.Pkg+"_test.go")
	}
	return " M " + strings.Join(changed, "\n M ") + "\n?? " + strings.Join(added, "\n?? ")
}
