// Package crash kills writers, and lets two of them write to one file, to see
// that nothing acknowledged is lost and nothing is invented.
package crash
