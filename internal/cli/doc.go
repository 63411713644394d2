// Package cli is the command line: verbs on a session, over the public
// packages only. Its contract, JSON shapes included, is docs/cli.md.
package cli
