package calibration

// tenth: a window below that part of a request is the limit of something else.
const tenth = 10

// Believable reports whether a window that a refusal names can be that of a
// server. used is the size of the refused request in the refusal, 0 if it names
// none; answered the largest prompt that the server has answered in this process;
// estimate our size of the request; all in tokens. A refusal that gives the size
// of this request, by our estimate, is about the window whatever was answered
// before: servers are restarted, and gateways change them.
func Believable(window, used, answered, estimate int64) bool {
	if used > 0 && used >= estimate/2 && used/2 <= estimate {
		return true
	}
	return window > answered && (used > 0 || window >= estimate/tenth)
}
