package settings

import (
	"errors"
	"strings"
)

// Permissions say which tool calls run (docs/settings.md). A rule of Deny
// beats one of Ask, and that one of Allow.
type Permissions struct {
	Default          Permission
	Allow, Ask, Deny []PermissionRule
}

// Permission is what becomes of a call.
type Permission string

// The permissions.
const (
	PermissionAllow Permission = "allow"
	PermissionAsk   Permission = "ask"
	PermissionDeny  Permission = "deny"
)

func (Permission) words() []string { return []string{"allow", "ask", "deny"} }

// PermissionRule names calls: a tool, or a tool and a pattern for its command
// or path, as in "bash git *" and "write docs/**".
type PermissionRule string

func (r PermissionRule) check() error {
	if strings.TrimSpace(string(r)) == "" {
		return errors.New("must name a tool")
	}
	return nil
}
