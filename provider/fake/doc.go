// Package fake is a scripted model server for tests and demonstrations. It
// listens on loopback and really speaks Anthropic Messages, OpenAI chat
// completions, OpenAI responses and Gemini, streamed, so that everything from the
// dialect to the retry is tested without a key, a network or a bill.
//
// A script is a list of steps, one for each request; the last one answers all
// that follow. A step may answer (Say, Think, Call, CutOff), answer badly
// (Step{}, Longer), refuse (Overflow, RateLimit, Overloaded, ServerError) or
// break (StreamError, Stall, Cut):
//
//	server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: 429, RetryAfter: time.Second}}, fake.Say("done"))
//	defer server.Close()
//	answer, err := server.Bind("anthropic").Complete(ctx, req, opts)
//
// With a Window the server counts the tokens of each request and refuses what
// does not fit, in the words of the vendor; with Truncate it cuts silently
// instead, as some servers do.
//
// Every request is kept (Requests), with the problems that the dialect's own
// Validate sees in it (Problems).
package fake
