// Package crash kills writers and lets them meet on one file, to see that
// nothing that was acknowledged is lost and nothing is invented.
package crash
