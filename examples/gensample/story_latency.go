package main

import "maps"

// The second job: payments got slow. A first attempt touches what must not
// be touched and is abandoned; the session goes on from before it.

func (r *recorder) latency() {
	r.user("Next. Since Thursday's release `POST /v1/payments` is slow, this is the p95 from the dashboard (red = after the release, full scale 800 ms). Find the cause. Show me options before you change anything.", latencyChart())
	r.act("The chart: a step up at about two thirds, from some 200 to over 600 ms. A step, not a slope: a code change, not growth of data. Let me see what was released on Thursday and the access log.", "A step, so a code change. Log and history:",
		prints("git log --since=2026-02-25 --format='%h %ad %s' --date=format:'%Y-%m-%d %H:%M'", gitLog(24)),
		prints("grep '\"msg\":\"request\"' /var/log/ledgerline/api.log | tail -120", requestLog(120)))
	r.act("The log has a column queries: 40 to 200 for POST /v1/payments, 2 to 4 for the rest, and time follows the number of queries at about 3.5 ms each. So an N+1. Where? Customer lookups probably: billing's Balance is called from create.", "40 to 200 queries per payment, 3.5 ms each: an N+1. Looking for the loop.",
		grep(`Balance|ListPayments|\.List\(`, ""), read("billing/api.go"),
		prints(`psql "$LEDGERLINE_DB" -c "EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM customers WHERE account_id = 'acct_1017' AND id = 'cus_93k'"`, explain))
	r.act("", "", read("internal/customer/customer.go"), read("internal/customer/store.go"), read("internal/httpapi/customer.go"))
	r.answer("Balance loads every open invoice of the account and asks for the customer of each, to apply its terms. Options: a cache, or one joined query.", "Cause: since Thursday each payment calls `Balance`, which loads all open invoices and then asks for the customer of each one (N+1).\n\nA. Cache balances for a minute.\nB. One query that joins invoices and customers.\n\nB is the real fix; A is quicker to write. Which one?")
	fork := r.leaf
	r.entry("label", "targetId", fork, "label", "two options")
	fork = r.leaf
	before := maps.Clone(r.ws)

	r.cacheDetour()
	r.ws = before
	r.goBack(fork)

	r.user("Option B, one joined query. I went back to before the cache: it had to change billing.Client, and that API is frozen. Nothing in package billing changes, whatever the reason.")
	r.act("Right, the rule from the beginning. The join belongs into the invoice store, behind billing. Write Outstanding there: sum by currency in one query.", "Understood, `billing` stays as it is. The join goes into `invoice.Store`.",
		edit("internal/invoice/store.go", "// CountByStatus is what the dashboard shows.", outstanding+"\n// CountByStatus is what the dashboard shows."),
		edit("internal/invoice/store_test.go", "func TestInvoiceListPages(", outstandingTest+"\nfunc TestInvoiceListPages("),
		bash("cat migrations/0011_invoices.up.sql", func(ws workspace) string { return ws["migrations/0011_invoices.up.sql"] }))
	r.act("", "", bash("go vet ./internal/invoice/ && go test -tags itest -v ./internal/invoice/", goTest("internal/invoice", nil)),
		prints("go test -tags itest -run xxx -bench Balance -count 6 ./internal/invoice/", bench))
	r.act("From 611 ms to 3.2 ms with 180 open invoices. Check the log of the staging run to be sure that the number of queries fell.", "611 ms → 3.2 ms in the benchmark. Staging to be sure:",
		prints("ssh staging 'tail -n 40 /var/log/ledgerline/api.log'", requestLog(40)))
	r.answer("", "Done: `invoice.Store.Outstanding` sums by currency in one joined query; `Balance` uses it behind the unchanged `billing.Client`. Benchmark with 180 open invoices: 611 ms → 3.2 ms. The staging log above is still the old build; it needs a deploy.")
}

// cacheDetour is the branch that is abandoned.
func (r *recorder) cacheDetour() {
	r.user("Try the cache first.")
	r.act("A cache in front of Balance. The callers need to say how old a balance may be, so Client gets another method.", "",
		edit("billing/api.go", "\tBalance(ctx context.Context, accountID string) (money.Amount, error)\n", "\tBalance(ctx context.Context, accountID string) (money.Amount, error)\n\tBalanceWithin(ctx context.Context, accountID string, age time.Duration) (money.Amount, error)\n"),
		read("internal/subscription/subscription.go"), read("internal/subscription/store.go"))
	r.act("Everything that implements Client has to follow: shop, tickets, donations have fakes of their own.", "The fakes of the other services would have to follow. Checking how many.",
		prints("grep -rn 'billing.Client' ../shop ../tickets ../donations --include='*.go'", otherServices),
		read("internal/httpapi/subscription.go"))
	r.aborted("BalanceWithin breaks eleven implementations outside of this repository. I could embed the old interface in a new one", "This breaks eleven implementations in other repositories. I could")
}

const outstanding = `// Outstanding is what all open invoices of an account add up to, by currency.
// One query, with the terms of each customer joined in.
func (s *Store) Outstanding(ctx context.Context, accountID string) (money.Sums, error) {
	const q = ` + "`" + `SELECT i.total_currency, sum(i.total_minor)
		FROM invoices i JOIN customers c ON c.account_id = i.account_id AND c.id = i.customer_id
		WHERE i.account_id = $1 AND i.status = 'open' AND i.created_at + make_interval(days => c.terms_days::int) > $2
		GROUP BY i.total_currency` + "`" + `
	rows, err := s.db.QueryContext(ctx, q, accountID, s.clock())
	if err != nil {
		return nil, fmt.Errorf("outstanding: %w", err)
	}
	defer rows.Close()
	sums := money.Sums{}
	for rows.Next() {
		var a money.Amount
		if err := rows.Scan(&a.Currency, &a.Minor); err != nil {
			return nil, fmt.Errorf("outstanding: %w", err)
		}
		sums.Add(a)
	}
	return sums, rows.Err()
}
`

const outstandingTest = `func TestInvoiceOutstanding(t *testing.T) {
	ctx := context.Background()
	s := NewStore(dbtest.Tx(t), func() time.Time { return at })
	for i, total := range []money.Amount{money.New("EUR", 100), money.New("JPY", 7), money.New("EUR", 20)} {
		x := sample(fmt.Sprintf("inv_o%d", i))
		x.Status, x.Total, x.Tax = StatusOpen, total, money.New(total.Currency, 0)
		if err := s.Insert(ctx, x); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Outstanding(ctx, "acct_invoice")
	if err != nil || got.String() != "EUR 1.20, JPY 7" {
		t.Errorf("got %s, %v", got, err)
	}
}
`

const explain = `                                                          QUERY PLAN
------------------------------------------------------------------------------------------------------------------------------
 Index Scan using customers_pkey on customers  (cost=0.29..8.31 rows=1 width=118) (actual time=0.021..0.022 rows=1 loops=1)
   Index Cond: (id = 'cus_93k'::text)
   Filter: (account_id = 'acct_1017'::text)
   Buffers: shared hit=3
 Planning:
   Buffers: shared hit=6
 Planning Time: 0.114 ms
 Execution Time: 0.041 ms
(8 rows)`

const bench = `goos: linux
goarch: amd64
pkg: example.com/ledgerline/internal/invoice
cpu: Intel(R) Core(TM) i7-1260P
BenchmarkBalanceLoop-16      	       2	 611204511 ns/op	 9120344 B/op	   61822 allocs/op
BenchmarkBalanceLoop-16      	       2	 608811902 ns/op	 9119876 B/op	   61818 allocs/op
BenchmarkBalanceLoop-16      	       2	 614977338 ns/op	 9120102 B/op	   61820 allocs/op
BenchmarkBalanceJoined-16    	     372	   3211045 ns/op	    4712 B/op	      61 allocs/op
BenchmarkBalanceJoined-16    	     369	   3228816 ns/op	    4712 B/op	      61 allocs/op
BenchmarkBalanceJoined-16    	     374	   3198277 ns/op	    4712 B/op	      61 allocs/op
PASS
ok  	example.com/ledgerline/internal/invoice	11.402s`

const otherServices = `../shop/internal/checkout/checkout.go:31:	billing billing.Client
../shop/internal/checkout/checkout_test.go:18:type fakeBilling struct{} // implements billing.Client
../shop/internal/credit/credit.go:22:func New(b billing.Client) *Service {
../shop/internal/credit/credit_test.go:40:var _ billing.Client = (*stub)(nil)
../shop/cmd/shop/main.go:77:	var pay billing.Client = billingrpc.Dial(cfg.Billing)
../shop/internal/billingrpc/client.go:15:// client implements billing.Client over gRPC.
../tickets/seats/hold.go:54:	Billing billing.Client
../tickets/seats/hold_test.go:25:type noBilling struct{ billing.Client }
../tickets/internal/desk/refund.go:33:func refundAll(ctx context.Context, b billing.Client, ids []string) error {
../tickets/internal/desk/refund_test.go:12:type recorder struct{} // implements billing.Client
../donations/app/give.go:19:type Giver struct{ Billing billing.Client }
../donations/app/give_test.go:9:type fake struct{ billing.Client }
../donations/app/monthly.go:61:	b billing.Client
../donations/rpc/billing.go:14:var _ billing.Client = (*remote)(nil)`
