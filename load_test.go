package coppice_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
)

// settled writes settings for the user and a project, and returns the project.
func settled(t *testing.T, user, project string) string {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("COPPICE_CONFIG_DIR", home)
	for path, text := range map[string]string{filepath.Join(home, "settings.json"): user, filepath.Join(dir, ".coppice", "settings.json"): project} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An embedder gets what the user has set, and defaults for the rest.
func TestLoad(t *testing.T) {
	dir := settled(t, `{"compaction":{"keepRecentTokens":5000,"request":"shared-prefix"},"branchSummary":{"enabled":true},
		"model":"own/m","providers":{"own":{"type":"openai","baseUrl":"http://localhost:1/v1","models":[{"id":"m","contextWindow":16000}]}},
		"secrets":{"patterns":["zebra-[0-9]+"]},"permissions":{"allow":["bash"]},"unknownKey":1}`,
		`{"compaction":{"reserveTokens":3000}}`)
	o, err := coppice.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if keep := o.Compaction.KeepRecentTokens; keep == nil || *keep != 5000 {
		t.Errorf("keepRecentTokens: %v", keep)
	}
	if n := o.Compaction.ReserveTokens; n == nil || *n != 3000 {
		t.Errorf("reserveTokens of the project: %v", n)
	}
	if !o.Branches.Enabled || !o.SharedPrefix || o.Summarizer != nil {
		t.Errorf("%+v, shared prefix %v, summarizer %v", o.Branches, o.SharedPrefix, o.Summarizer)
	}
	if o.Model == nil || o.Model.Facts().Window != 16_000 {
		t.Errorf("model: %v", o.Model)
	}
	if got := o.Mask("key zebra-42"); strings.Contains(got, "42") {
		t.Errorf("not masked: %q", got)
	}
	s, err := coppice.InMemory(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
}

// Wrong settings are named and left out; the others are used.
func TestLoadOfWrongSettings(t *testing.T) {
	dir := settled(t, `{"compaction":{"keepRecentTokens":"many","reserveTokens":3000},"model":"nowhere/m"}`, ``)
	o, err := coppice.Load(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "compaction.keepRecentTokens") || !strings.Contains(err.Error(), "nowhere/m") {
		t.Errorf("got %v", err)
	}
	if n := o.Compaction.ReserveTokens; n == nil || *n != 3000 || o.Model != nil {
		t.Errorf("%+v", o.Compaction)
	}
	if s, err := coppice.InMemory(t.Context(), o); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
}

// Without settings the defaults apply.
func TestLoadOfNothing(t *testing.T) {
	o, err := coppice.Load(t.Context(), settled(t, "", ""))
	if err != nil || o.Model != nil || o.Summarizer != nil {
		t.Errorf("%v, model %v", err, o.Model)
	}
}
