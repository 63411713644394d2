// Package sdk tests what Coppice sends and reads against the vendors' own
// libraries. It is a module of its own: nothing else may import them.
package sdk
