// Package tools holds the tools of a coding agent: read, write, edit, bash,
// grep, find and recall, and the guard that decides which calls may run.
package tools
