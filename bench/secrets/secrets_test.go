package main

import (
	"bytes"
	"testing"
)

// What docs/security.md promises of masking holds for sets that were not looked at
// while it was written, too.
func TestMasking(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		rows, err := measure(t.Context(), set(seed))
		if err != nil {
			t.Fatal(err)
		}
		var secrets, masked int
		for _, r := range rows {
			if r.group == "to keep" {
				if wrong := percent(r.n-r.right, r.n); r.n < 60 || wrong >= 3 {
					t.Errorf("seed %d: %.1f %% of %d are masked that are no secrets: %q", seed, wrong, r.n, r.wrong)
				}
				continue
			}
			secrets, masked = secrets+r.n, masked+r.right
			for _, w := range r.wrong {
				t.Logf("seed %d: not masked: %s", seed, w)
			}
		}
		if got := percent(masked, secrets); secrets < 160 || got < 98 {
			t.Errorf("seed %d: %.1f %% of %d secrets are masked", seed, got, secrets)
		}
	}
}

func TestTable(t *testing.T) {
	var out, problems bytes.Buffer
	if err := run(t.Context(), &out, &problems, 1); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out.Bytes(), []byte("| private keys |")) {
		t.Errorf("no row of keys in\n%s", &out)
	}
}
