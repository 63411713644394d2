// Package gate holds no code, only a test: what the view of a drawn history
// becomes on each wire is refused by nobody.
package gate
