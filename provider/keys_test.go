package provider_test

import (
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/provider"
)

func TestKeysNamesPlacesNotKeys(t *testing.T) {
	env := map[string]string{"ANTHROPIC_API_KEY": "sk-1", "MISTRAL_API_KEY": "sk-2", "MY_KEY": "sk-3", "OPENAI_API_KEY": " ", "PATH": "/bin"}
	cfg := provider.Config{Providers: map[string]provider.ProviderConfig{
		"mine":  {APIKeyEnv: "MY_KEY"},
		"other": {APIKey: "sk-4"},
	}}
	got := provider.NewRegistry(cfg, func(name string) string { return env[name] }).Keys()
	want := []string{"ANTHROPIC_API_KEY", "MISTRAL_API_KEY", "MY_KEY", "providers.other.apiKey"}
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}
