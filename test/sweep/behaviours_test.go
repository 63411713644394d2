package sweep

import "fmt"

// honest are servers that report what they count. None of them gives a reason to
// doubt an answer, or to learn anything.
func honest() []behaviour {
	var out []behaviour
	for _, f := range []float64{1. / 6, 0.25, 1. / 3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 2, 3, 4, 6} {
		out = append(out, behaviour{name: fmt.Sprintf("counts %.2f", f), factor: f})
	}
	for _, n := range []float64{-1, 85, 258, 1600, 3000} {
		out = append(out, behaviour{name: fmt.Sprintf("images at %.0f", max(0, n)), image: n})
	}
	full := usual
	with := func(change func(u usage, m map[string]any)) func(u usage) map[string]any {
		return func(u usage) map[string]any {
			m := full(u)
			change(u, m)
			return m
		}
	}
	always := func(n int64) func(int) int64 { return func(int) int64 { return n } }
	sum := int64(0)
	return append(out,
		behaviour{name: "exact"},
		behaviour{name: "cl100k", count: cl100k},
		behaviour{name: "four characters", count: func() counter { return perChars(4) }},
		behaviour{name: "two characters", count: func() counter { return perChars(2) }},
		behaviour{name: "three bytes", count: func() counter { return perBytes(3) }},
		behaviour{name: "words", count: func() counter { return perWord(1.4) }},
		behaviour{name: "runs are cheap", count: func() counter { return runs }},
		behaviour{name: "scripts are dear", count: func() counter { return scripts }},
		behaviour{name: "gateway adds 2,000", extra: always(2000)},
		behaviour{name: "gateway adds 500", extra: always(500)},
		behaviour{name: "gateway adds 2,000 now and then", extra: func(n int) int64 { return 2000 * int64(n%3/2) }},
		behaviour{name: "cached in details", report: with(func(u usage, m map[string]any) {
			m["prompt_tokens_details"] = map[string]any{"cached_tokens": u.cached}
		})},
		behaviour{name: "cached at the top", report: with(func(u usage, m map[string]any) { m["cached_tokens"] = u.cached })},
		behaviour{name: "cached not counted", doubtful: true, report: func(u usage) map[string]any { return full(usage{prompt: u.prompt - u.cached, output: u.output}) }},
		behaviour{name: "cached outside", report: func(u usage) map[string]any {
			m := full(usage{prompt: u.prompt - u.cached, output: u.output})
			m["prompt_tokens_details"] = map[string]any{"cached_tokens": u.cached}
			return m
		}},
		behaviour{name: "no usage", chunks: func(map[string]any) []map[string]any { return nil }},
		behaviour{name: "all zero", report: func(usage) map[string]any { return full(usage{}) }},
		behaviour{name: "only a total", report: func(u usage) map[string]any { return map[string]any{"total_tokens": u.prompt + u.output} }},
		behaviour{name: "prompt 0", report: with(func(_ usage, m map[string]any) { m["prompt_tokens"], m["total_tokens"] = 0, 40 })},
		behaviour{name: "usage in every chunk", chunks: func(u map[string]any) []map[string]any { return []map[string]any{u, u, u} }},
		behaviour{name: "usage with the finish reason", chunks: func(u map[string]any) []map[string]any { return []map[string]any{nil, u} }},
		behaviour{name: "sums over the session", report: func(u usage) map[string]any {
			sum += u.prompt
			return full(usage{prompt: sum, output: u.output})
		}},
		behaviour{name: "the new part alone", doubtful: true, report: func(u usage) map[string]any { return full(usage{prompt: u.prompt / 20, output: u.output}) }},
		behaviour{name: "null usage", report: func(usage) map[string]any {
			return map[string]any{"prompt_tokens": nil, "completion_tokens": nil, "total_tokens": nil}
		}},
	)
}
