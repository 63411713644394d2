//go:build deps

// Package deps pins modules while the packages that use them are being written.
package deps

import (
	_ "charm.land/catwalk/pkg/embedded"
	_ "charm.land/fang/v2"
	_ "charm.land/lipgloss/v2"
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/gofrs/flock"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/renameio/v2"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "github.com/tailscale/hujson"
	_ "github.com/tiktoken-go/tokenizer"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "github.com/charmbracelet/colorprofile"
	_ "github.com/charmbracelet/x/term"
	_ "pgregory.net/rapid"
)
