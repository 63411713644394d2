// Package settings resolves what the user configured: built-in defaults, the
// user's file, the project's file, the environment and command line flags, in
// this order. Later ones win and objects merge (docs/settings.md).
//
// The types of settings are those of the packages that use them: Resolve is
// handed pointers to them with their defaults, and gives each key its value
// and its origin. One table (table.go) names every key, with its help and
// whether a project may set it; it says nothing about types. A key without a
// type is skipped, so that a library that knows only some of the keys can read
// the same files as the command line.
//
// Files are JSON with comments and trailing commas. What is wrong in them is
// returned as problems along with usable settings: a broken file never keeps
// anyone from reading a session. Everything is pure but files.go.
package settings
