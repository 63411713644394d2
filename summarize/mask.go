package summarize

import "github.com/coppice-dev/coppice/internal/secret"

// maskOr returns mask, or the default masker if mask is nil.
func maskOr(mask func(string) string) func(string) string {
	if mask != nil {
		return mask
	}
	return secret.Default()
}
