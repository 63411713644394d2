// Package sweep holds no code, only tests: jobs against servers that count and
// answer in many honest ways, and against some that silently cut prompts.
package sweep
