// Package browser holds the tests of the exported page in a real browser. They
// run where Chromium is installed, and not with -short.
package browser
