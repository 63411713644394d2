// Package hook lets in-process handlers and programs in any language answer
// events (docs/hooks.md).
//
// A [Bus] asks, in a fixed order, the user's programs, the project's programs
// and the in-process handlers, each group sorted by name. The first cancel
// wins and stops; otherwise the last answer wins. A hook that changes
// something (arguments, a result, the messages of the view) sees the changes
// of the hooks before it, so that two hooks that redact do not undo each
// other. Context lines add up.
//
// # Programs
//
// A program gets the event as one JSON object on one line of its standard
// input; the member "type" names the event. It runs in the project's folder.
//
//	exit 0   the answer is one JSON object on standard output; no output: no answer
//	exit 2   cancel, with standard error as the reason
//	else     failure
//
// It has 30 seconds, or as long as is set. When the time is over or the step is
// aborted it gets SIGTERM, and SIGKILL if it stays; so does everything that it
// started in its process group. On Windows the program is ended at once, and
// alone.
//
// # Failures
//
// A hook that fails, hangs or answers with nonsense is reported and skipped. A
// hook that is marked required stops the step instead. Neither a cancel nor a
// failing required hook stops a compaction without which the next request does
// not go out (overflow, model switch): that is reported, and the rescue goes
// on.
//
// # Trust
//
// Programs in a project's folder come with the project, from its authors.
// They run only while the content of the whole folder has the hash that the
// user trusted; it is looked at again before each run.
package hook
