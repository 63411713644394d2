// Package hooks holds hook programs in shell, Python and Go as examples, and
// their tests. README.md says how to use them.
package hooks
