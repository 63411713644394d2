// Package docs holds the documents for people. Its tests check what the
// documents show.
package docs
