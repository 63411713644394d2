package main

import (
	"fmt"
	"strings"
)

// The patient part of the work: the API gets a description and the handlers
// get tests, thing after thing.

const docsRequest = `Fifth: the API has no description. Write OpenAPI fragments, one file for each thing, docs/api/<table>.yaml, and handler tests where there are none. How we want them:

- OpenAPI 3.1. Shared parameters and responses are in docs/api/common.yaml already, refer to them: After, Limit, ID, BadRequest, NoKey, BadField, NotFound, Conflict, and the schema Amount.
- What the code does, not what it should do. Where you think the code is wrong: leave it, tell me at the end.
- Limits (bytes of a body, size of a page, length of a field) are part of the contract, so they must be there, with the numbers from the code.
- operationId is verb plus thing: listInvoices, createInvoice, voidInvoice.
- Descriptions are one sentence, for somebody who integrates us and has never seen our code. No marketing.
- Statuses: list them all, in the order of life.
- Handler tests: make and read, bad requests, each verb twice, another account must get 404. Use newTestServer. No sleeping.

Do them three at a time. Tell me only what is odd.`

func (r *recorder) apiDocs() {
	r.user(docsRequest)
	things := domain()
	for i := 0; i < len(things); i += 3 {
		r.documentThree(things[i:min(i+3, len(things))], i)
	}
	r.act("All are written. Lint the whole description and run every handler test.", "All eleven. Lint and the whole test run:",
		prints("npx --no-install redocly lint docs/api/*.yaml", lint(things)),
		bash("go test -tags itest -v ./internal/httpapi/", goTest("internal/httpapi", nil)))
	r.answer("The linter warns about missing examples only. What is odd, collected on the way: coupon percent, dispute evidence, refund.", "Eleven fragments and eleven test files, all pass; the linter only misses examples. Odd, not changed:\n\n1. `Coupon.Percent` may be 0.\n2. `Dispute.Evidence` can be set by the client on create.\n3. `Refund.ApprovedBy` is required on create, before anybody approved.\n4. A page limit above the maximum silently becomes the default, not the maximum.\n5. `Endpoint.URL` says https only, but nothing checks it.\n\nNumber 5 looks like a security matter: tell me if I should fix it.")
	r.user("5 yes, but later, put it on the list. The others stay as they are.")
	r.answer("", "On the list: `endpoint.URL` must begin with https.")
}

func (r *recorder) documentThree(things []resource, batch int) {
	var reads, writes []call
	var names, dirs, notes []string
	for _, t := range things {
		reads = append(reads, read(fmt.Sprintf("internal/httpapi/%s.go", t.Pkg)), read(fmt.Sprintf("migrations/%04d_%s.up.sql", 10+batch+len(names), t.Table)))
		writes = append(writes, write("docs/api/"+t.Table+".yaml", expand("openapi.yaml.tmpl", t)),
			write("internal/httpapi/"+t.Pkg+"_test.go", expand("handler_test.go.tmpl", t)))
		names = append(names, t.Plural)
		dirs = append(dirs, "internal/"+t.Pkg)
		notes = append(notes, remarks(t))
	}
	r.act("", strings.Join(names, ", ")+".", reads...)
	r.act(strings.Join(notes, " "), "", writes...)
	r.act("", "", bash("go vet ./internal/httpapi/ && go test -v ./"+strings.Join(dirs, "/ ./")+"/", together(dirs...)))
}

// remarks is what the model thinks about a thing before it writes.
func remarks(t resource) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: bodies up to %d bytes, pages of %d, at most %d. Statuses in order: %s; the last one is final, so each verb answers 409 from there.",
		t.Plural, t.MaxBody, t.PageSize, t.MaxPage, strings.Join(t.States, ", "))
	for _, f := range t.Fields {
		switch {
		case f.Filter:
			fmt.Fprintf(&b, " %s filters the list, so it is a query parameter too, up to %d bytes.", f.Column, f.Limit)
		case f.Type == "money.Amount":
			fmt.Fprintf(&b, " %s is an amount, two columns in the table; refused when negative or in a currency that we cannot show.", f.Column)
		case f.Type == "int64":
			fmt.Fprintf(&b, " %s goes from 0 to %d.", f.Column, f.Limit)
		case f.Type == "string":
			fmt.Fprintf(&b, " %s is required, %d bytes (bytes, not characters: say so).", f.Column, f.Limit)
		}
	}
	for _, v := range t.Verbs {
		fmt.Fprintf(&b, " POST …/%s leads to %s: it %s", strings.ToLower(v.Name), v.To, v.Doc)
	}
	return b.String()
}

// lint is what a linter says about the fragments.
func lint(things []resource) string {
	var b strings.Builder
	warnings := 0
	for _, t := range things {
		fmt.Fprintf(&b, "validating docs/api/%s.yaml...\n", t.Table)
		for i, f := range t.Fields {
			if f.Type == "string" {
				warnings++
				fmt.Fprintf(&b, "[warn] docs/api/%s.yaml:%d:9 #/components/schemas/New%s/properties/%s: schema should have an example (schema-example)\n", t.Table, 71+i, t.Name, f.Column)
			}
		}
		fmt.Fprintf(&b, "docs/api/%s.yaml: validated\n\n", t.Table)
	}
	fmt.Fprintf(&b, "Your API descriptions are valid. You have %d warnings.", warnings)
	return b.String()
}
