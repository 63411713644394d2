package secret

import "strings"

// digitInside tells a random body of letters and digits from a word.
func digitInside(body string) bool { return strings.ContainsAny(body, "0123456789") }

// databricks reports whether a body is 32 hexadecimal digits, with a version.
func databricks(body string) bool {
	head, version, _ := strings.Cut(body, "-")
	return len(head) == 32 && hexDigits(head) && len(version) <= 1
}

// resend reports whether a body has two random parts.
func resend(body string) bool {
	head, tail, ok := strings.Cut(body, "_")
	return ok && len(head) >= 6 && mixed(tail)
}

// hookPath reports whether a path leads to a hook.
func hookPath(body string) bool {
	return strings.Contains(body, "/webhooks/") || strings.Contains(body, "/key/")
}

// googleHook reports whether the address of a chat room carries its key.
func googleHook(body string) bool { return strings.Contains(body, "token=") }
