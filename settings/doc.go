// Package settings resolves what the user configured: built-in defaults, the
// user's file, the project's file, the environment and command line flags, in
// this order, later wins and objects merge (spec/hooks-settings.md).
//
// One table (table.go) names every key. The resolver, the listing, the
// editor and the JSON Schema all read it, so that adding a key is adding a
// field and a row.
//
// Files are JSON with comments and trailing commas. What is wrong in them is
// returned as problems beside settings that can be used: a broken file never
// keeps anybody from reading a session. Everything is pure but files.go.
package settings
