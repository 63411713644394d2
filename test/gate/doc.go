// Package gate has no code, only a test: no provider refuses the request that
// is rendered from any random history, in any dialect.
package gate
