package export

import (
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/state"
)

// pageNow is what is true at the leaf of the first view.
type pageNow struct {
	Line  string    `json:"line"`
	Kinds []nowKind `json:"kinds"`
}

// nowKind is what holds of one kind, newest first.
type nowKind struct {
	Kind  string   `json:"k"`
	Items []string `json:"items"`
	More  int      `json:"more,omitzero"`
}

// nowShown are the kinds that a page shows, and how they are called there.
var nowShown = []struct {
	kind state.Kind
	name string
}{{"request", "Requests"}, {"rule", "Rules in force"}, {"failure", "What fails"}, {"task", "To do"}, {"question", "Open questions"}, {"decision", "Decisions"}, {"measure", "Measured"}, {"place", "Where"}}

// Bounds of what is shown.
const (
	nowItems = 40  // of a kind
	nowText  = 600 // characters of an item
)

func nowOf(st *state.State) *pageNow {
	if st == nil || len(st.Items) == 0 {
		return nil
	}
	out := &pageNow{Line: short(still(st.Line()), previewText), Kinds: []nowKind{}}
	for _, k := range nowShown {
		all := st.Living(k.kind)
		kind := nowKind{Kind: k.name, More: max(len(all)-nowItems, 0)}
		for _, it := range slices.Backward(all[kind.More:]) {
			kind.Items = append(kind.Items, short(still(it.Line()), nowText))
		}
		if len(all) > 0 {
			out.Kinds = append(out.Kinds, kind)
		}
	}
	return out
}

// still is a text without characters that steer: a file may carry any.
func still(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}
