// Package browser holds the tests of the exported page in a real browser. They
// run with the build tag browser and where Chromium is installed.
package browser
