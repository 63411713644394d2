package main

// The first job: statements that add up different currencies. The rules that
// the user gives here hold for the whole session.

const rules = `Good morning. Rules for this repository, they hold for everything we do today:

- Never touch the public API of package billing. Three other services compile against it.
- No new dependencies.
- Money is int64 in minor units. No floats, not even in tests.
- Do not commit, I do that.
- Keep your answers short.

First job: merchants with customers in several currencies get wrong monthly statements. Support calls the totals "random". Find out why and fix it.`

func (r *recorder) statements() {
	claude := model{api: "anthropic-messages", provider: "anthropic", id: "claude-sonnet-4-5"}
	claude.price.Input, claude.price.Output, claude.price.CacheRead, claude.price.CacheWrite = 3, 15, 0.3, 3.75
	r.use(claude)
	r.thinking("medium")
	r.user(rules)
	r.act("I should get an overview first: the tree, the readme, and how tests are run. Then the statement package.",
		"I'll look around first.", find(""), read("README.md"), read("Makefile"))
	r.act("The statement package is small. I'll read it with its test and the money package, all three at once.", "",
		read("internal/statement/totals.go"), read("internal/statement/totals_test.go"), read("internal/money/money.go"))
	r.act("Two defects in Build. First: Invoiced, Received and Fees are single amounts; minor units of all currencies are added and the currency of the last row wins. The order of rows comes from the database, hence \"random\". Second: PerMethod is never made, so the first payment panics with a nil map. The existing test has no payments, so it never got there. Who uses the fields of Statement?",
		"Two bugs: sums are added across currencies (the last row names the currency), and `PerMethod` is a nil map. Checking who reads these fields.",
		grep(`statement\.|PerMethod|\.Invoiced|\.Received`, ""), grep(`money\.Sums`, "internal"),
		prints("git log --format='%h %ad %s' --date=format:'%Y-%m-%d %H:%M' -40", gitLog(40)))
	r.act("Nobody outside the package reads them yet but the renderer, which prints with %s; money.Sums has String. So I can change the three fields to money.Sums. A failing test first, in a file of its own.",
		"Only the renderer uses them. A failing test first.",
		write("internal/statement/currencies_test.go", script("totals_currencies_test.go")))
	r.act("", "", failing(prints("go test ./internal/statement/", `# example.com/ledgerline/internal/statement [example.com/ledgerline/internal/statement.test]
internal/statement/currencies_test.go:34:15: cannot use st.Invoiced (variable of struct type money.Amount) as money.Sums value in struct literal
internal/statement/currencies_test.go:35:15: cannot use st.Received (variable of struct type money.Amount) as money.Sums value in struct literal
internal/statement/currencies_test.go:36:11: cannot use st.Fees (variable of struct type money.Amount) as money.Sums value in struct literal
FAIL	example.com/ledgerline/internal/statement [build failed]
FAIL`)))
	r.act("As expected it does not compile. Now the types, and the loops.", "Expected. Now the fix.",
		edit("internal/statement/totals.go", "\tInvoiced  money.Amount\n\tReceived  money.Amount\n\tFees      money.Amount\n", "\tInvoiced  money.Sums // by currency\n\tReceived  money.Sums\n\tFees      money.Sums\n"),
		edit("internal/statement/totals.go", "\t\tst.Invoiced.Minor += inv.Total.Minor\n\t\tst.Invoiced.Currency = inv.Total.Currency\n", "\t\tst.Invoiced.Add(inv.Total)\n"),
		edit("internal/statement/totals.go", "\t\tst.Received.Minor += p.Amount.Minor\n\t\tst.Received.Currency = p.Amount.Currency\n\t\tst.Fees.Minor += p.Fee.Minor\n\t\tst.Fees.Currency = p.Fee.Currency\n", "\t\tst.Received.Add(p.Amount)\n\t\tst.Fees.Add(p.Fee)\n"),
		edit("internal/statement/totals.go", "st := &Statement{AccountID: accountID, Month: from}", "st := &Statement{AccountID: accountID, Month: from, Invoiced: money.Sums{}, Received: money.Sums{}, Fees: money.Sums{}}"),
		edit("internal/statement/totals_test.go", "if st.Invoiced != money.New(\"EUR\", 130000) {", "if st.Invoiced.String() != \"EUR 1300.00\" {"))
	r.act("", "", failing(bash("go test -v ./internal/statement/", goTest("internal/statement", map[string]string{
		"TestBuildKeepsCurrenciesApart": stack("assignment to entry in nil map",
			"internal/money.Sums.Add(...) "+r.ws.line("internal/money/money.go", "func (s Sums) Add"),
			"internal/statement.(*Builder).Build(0xc00011fe40,{0x7a9c08,0xa1e3e0},{0x6fd0b2,0x6},{0x0,0xede05a180,0x0}) "+r.ws.line("internal/statement/totals.go", "st.PerMethod[p.Method].Add"),
			"internal/statement.TestBuildKeepsCurrenciesApart(0xc000138700) "+r.ws.line("internal/statement/currencies_test.go", "st, err := (&Builder")),
	}))))
	r.act("That is the second bug: writing to PerMethod[p.Method], a nil Sums. Make the map in the literal and the inner one on first use.",
		"The nil map, as predicted.",
		edit("internal/statement/totals.go", "\t\tst.PerMethod[p.Method].Add(p.Amount)\n", "\t\tif st.PerMethod[p.Method] == nil {\n\t\t\tst.PerMethod[p.Method] = money.Sums{}\n\t\t}\n\t\tst.PerMethod[p.Method].Add(p.Amount)\n"),
		edit("internal/statement/totals.go", "Fees: money.Sums{}}", "Fees: money.Sums{},\n\t\tPerMethod: map[string]money.Sums{}}"))
	r.act("", "", bash("gofmt -l internal && go vet ./internal/statement/ && go test -v ./internal/statement/", goTest("internal/statement", nil)))
	r.answer("", "Fixed. `Invoiced`, `Received` and `Fees` are now `money.Sums`, one sum for each currency; `PerMethod` is made before it is written to. Both new tests pass. Decision: statements show all currencies side by side, nothing is converted.")
	r.entry("session_info", "name", "ledgerline: statements, latency, idempotency, webhooks")
	r.amounts()
}

// amounts is the same mistake looked for elsewhere: many files are read.
func (r *recorder) amounts() {
	r.user("Good. Does the same mistake exist anywhere else? Look at everything that adds up amounts: invoices, payments, refunds, payouts, disputes. Read the stores too, not only grep.")
	r.act("Search for additions of Minor first, and for sum() in SQL, then read the stores and models.", "",
		grep(`Minor \+=|\.Minor\+|sum\(|Totals\(`, ""), grep(`_currency`, "internal"))
	r.act("The only += is in code that I changed. SQL has no sum(). But totals in the handlers use money.Sums; let me read each of them with its store.", "",
		read("internal/invoice/invoice.go"), read("internal/invoice/store.go"), read("internal/httpapi/invoice.go"))
	r.act("Invoice: Validate checks the currency of Total and of Tax, each alone. Nothing makes sure that both have the same currency. That is a related hole: tax in another currency than the total. Note it. Next: payment.", "Invoices add nothing up, but nothing forces `Tax` into the currency of `Total`. Noted. Payments next.",
		read("internal/payment/payment.go"), read("internal/payment/store.go"), read("internal/httpapi/payment.go"))
	r.act("Payment has the same hole with Fee: the test data even has a fee in EUR for a payment in JPY, which is how the processor bills. So for payments it is right that they may differ. Keep that.", "A fee may differ in currency: that is how the processor bills, so it stays.",
		read("internal/refund/refund.go"), read("internal/refund/store.go"))
	r.act("Refund: compares with what is left of the payment? Only in the handler, if at all. Let me see the handler and its test.", "",
		read("internal/httpapi/refund.go"), read("internal/refund/store_test.go"))
	r.act("", "", read("internal/payout/payout.go"), read("internal/payout/store.go"), read("internal/dispute/dispute.go"))
	r.act("Payout adds nothing itself: the batch comes from a query in the worker. One small fix is worth it now: the tax of an invoice must have the currency of its total.", "One real hole: invoice tax. Fixing it.",
		edit("internal/invoice/invoice.go", "\tif x.Tax.Minor < 0 {", "\tif x.Tax.Currency != x.Total.Currency {\n\t\treturn &FieldError{\"tax\", \"must have the currency of the total\"}\n\t}\n\tif x.Tax.Minor < 0 {"),
		edit("internal/invoice/store_test.go", "\t\t{\"negative tax\",", "\t\t{\"tax in another currency\", func(x *Invoice) { x.Tax = money.New(\"USD\", 1) }, \"tax\"},\n\t\t{\"negative tax\","))
	r.act("", "", bash("go test -v ./internal/invoice/ ./internal/payment/ ./internal/refund/", together("internal/invoice", "internal/payment", "internal/refund")))
	r.answer("", "No other place adds across currencies. One hole closed: the tax of an invoice must now have the currency of its total (`invoice.Validate`, with a test). Fees may differ from the payment's currency on purpose.\n\nOpen, not touched:\n- [ ] `refund`: nothing checks that the refund has the payment's currency\n- [ ] `payout`: amounts of a batch are added in SQL by the worker; needs a look with a database")
}
