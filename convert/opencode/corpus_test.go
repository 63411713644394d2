package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// Every real export is imported completely.
func TestCorpus(t *testing.T) {
	for _, file := range corpus.Files(t, "opencode") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r := importtest.Import(t, Importer, importtest.File(t, file))
			if d := cmp.Diff(count(t, file), r.Counts); d != "" {
				t.Error(d)
			}
			importtest.Check(t, r.Session, r.Counts.Messages > 20)
		})
	}
}

// count counts over a file with another JSON reader: a message each, but for
// the two of a compaction, and a message for each result.
func count(t *testing.T, file string) convert.Counts {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Messages []struct {
			Info struct {
				Role    string
				Summary any
			}
			Parts []struct {
				Type, URL string
				State     struct {
					Status      string
					Attachments []struct{ URL string }
				}
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var c convert.Counts
	for _, m := range doc.Messages {
		if m.Info.Summary == true {
			c.Compactions++
			continue
		}
		if len(m.Parts) != 1 || m.Parts[0].Type != "compaction" {
			c.Messages++
		}
		for _, p := range m.Parts {
			switch {
			case p.Type == "tool":
				c.Calls++
				if p.State.Status == "completed" || p.State.Status == "error" {
					c.Results++
					c.Messages++
				}
				for _, a := range p.State.Attachments {
					c.Images += isImage(a.URL)
				}
			case p.Type == "file":
				c.Images += isImage(p.URL)
			}
		}
	}
	return c
}

func isImage(url string) int {
	if len(url) > 11 && url[:11] == "data:image/" {
		return 1
	}
	return 0
}
