// Package must is for tests: it unwraps the result of a call that cannot fail
// there, so that it can be used inside an expression.
package must

// Get returns v. It panics if err is not nil.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
