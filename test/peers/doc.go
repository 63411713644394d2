// Package peers tests Coppice against the programs that it has to agree with.
// They are not part of the project; a test skips where its peer is missing.
// The vendors' SDKs are peers too, in a module of their own: test/peers/sdk.
package peers
