package agent

// Settings say how an agent goes on around a compaction (docs/settings.md,
// compaction.*). A field that is not set has its default.
type Settings struct {
	// AutoContinue goes on with the work after a compaction that came after a
	// turn; nil: yes.
	AutoContinue *bool `json:"autoContinue"`
	// ContinueText is what is said to the model for it; "": `Continue if you
	// have next steps.`
	ContinueText string `json:"continueText"`
}

// EnsureDefaults gives every field that is not set its default.
func (s *Settings) EnsureDefaults() {
	if s.AutoContinue == nil {
		s.AutoContinue = new(true)
	}
	if s.ContinueText == "" {
		s.ContinueText = "Continue if you have next steps."
	}
}
