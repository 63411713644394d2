package settings

import "github.com/coppice-dev/coppice/internal/secret"

// Secrets add to the shapes that are masked (docs/settings.md, secrets.*).
type Secrets = secret.Settings

// SecretPattern is a regular expression in Go's syntax.
type SecretPattern = secret.Pattern
