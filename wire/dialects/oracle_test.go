package dialects

import (
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/oracle"
	"pgregory.net/rapid"
)

// A second set of rules, which shares nothing with Validate, finds nothing in
// what Render writes either.
func TestOracleAgrees(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req := request(t)
				body := render(t, d, req, model(t), options(t))
				if found := oracle.Check(d.Name(), body); len(found) > 0 {
					t.Fatalf("%q\n%s\nfrom %s", found, body, describe(req))
				}
			})
		})
	}
}
