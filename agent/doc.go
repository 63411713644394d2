// Package agent is the runtime: a model, tools and a session, kept inside the
// model's context window for as long as the work takes (docs/agent.md).
//
// A turn goes from the user's input through model calls and tool calls to a
// final answer. Everything is appended to the session as it becomes true, so
// that a process killed at any point resumes from the log. Before each call
// the view is measured; what no longer fits is pruned or compacted, in the
// middle of a turn too, and a refusal for size is recovered from once.
//
// Others may take part: Config.Hooks is a hook.Bus of functions and programs
// (docs/hooks.md).
//
// Decisions (which step, which remedy, what to cut from an output) are pure
// functions; the effects are in run.go and the files it calls.
package agent
