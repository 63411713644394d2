// Package bench holds the benchmarks that a change is measured with: what it
// costs to project, plan, render and extract.
//
//	go test ./bench -bench . -run '^$'
//
// The commands below it compare with other programs: bench/speed with pi,
// bench/fidelity with simpler ways to shorten a session, bench/cost with what
// sessions would have cost under pi and oh-my-pi, bench/tokens with real
// tokenizers; bench/secrets measures masking.
package bench
