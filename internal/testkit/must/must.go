// Package must is for tests: it takes the error out of a call that cannot
// fail there, so that the result can be used in the middle of an expression.
package must

// Get returns v. It panics where err is not nil.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
