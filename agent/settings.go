package agent

// Settings say how an agent continues after a compaction (docs/settings.md,
// compaction.*). An unset field has its default.
type Settings struct {
	// AutoContinue continues the work after a compaction that came after a
	// turn; nil: yes.
	AutoContinue *bool `json:"autoContinue"`
	// ContinueText is the message that tells the model to continue; "":
	// `Continue if you have next steps.`
	ContinueText string `json:"continueText"`
}

// EnsureDefaults sets every unset field to its default.
func (s *Settings) EnsureDefaults() {
	if s.AutoContinue == nil {
		s.AutoContinue = new(true)
	}
	if s.ContinueText == "" {
		s.ContinueText = "Continue if you have next steps."
	}
}
