package summarize

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// place is a heading of a summary: a section, or a part of one.
type place struct{ section, part string }

// style is how the items of a group are written.
type style int

const (
	list   style = iota // - item
	todo                // - [ ] item
	done                // - [x] item
	inline              // - Label: item, item, item
)

// group is one kind of line in an extracted summary. The order of groups is
// the order in which they appear; rank is the order in which they get room.
type group struct {
	place place
	label string // before inline items; before each item of a list, if it has one
	style style
	// holds are the ledger's classes that the group shows.
	holds []ledger.Class
	rank  int
	share int  // percent of the room that the group may take before others have had theirs
	spare bool // good to have: only while the summary is below its usual size
	list  bool // of files, which may be long without end
	first bool // the oldest item is as important as the newest
	units int  // longest item, in UTF-16 units
}

var (
	atGoal        = place{"Goal", ""}
	atConstraints = place{"Constraints & Preferences", ""}
	atProgress    = place{"Progress", ""}
	atDone        = place{"Progress", "Done"}
	atDoing       = place{"Progress", "In Progress"}
	atBlocked     = place{"Progress", "Blocked"}
	atDecisions   = place{"Key Decisions", ""}
	atNext        = place{"Next Steps", ""}
	atContext     = place{"Critical Context", ""}

	atRequest  = place{"Original Request", ""}
	atSoFar    = place{"Progress So Far", ""}
	atRelevant = place{"Context Needed to Continue", ""}
)

// form is the shape of an extracted summary.
type form struct {
	places []place
	groups []group
	notes  place // for lines of a previous summary that fit nowhere else
}

// Labels of quotations. In an updated summary they make room for newer ones;
// the ledger keeps the beginning of each request.
const (
	saidLabel   = "The assistant said"
	latestLabel = "Latest request"
	imageLabel  = "Image"
)

// historyForm has the sections that models are asked for, too.
func historyForm() form {
	return form{
		places: []place{atGoal, atConstraints, atProgress, atDone, atDoing, atBlocked, atDecisions, atNext, atContext},
		notes:  atContext,
		groups: []group{
			{place: atGoal, holds: []ledger.Class{ledger.Request}, rank: 2, share: 14, first: true, units: 1000},
			{place: atGoal, label: latestLabel, rank: 2, share: 8, units: 1000},
			{place: atConstraints, holds: []ledger.Class{ledger.Constraint}, rank: 1, share: 50, units: 480},
			{place: atContext, label: keepLabel, rank: 2, share: guidedShare, units: 480},
			{place: atContext, label: imageLabel, rank: 8, share: 5, units: 160},
			{place: atContext, label: noteLabel, rank: 2, share: 15, units: 4000},
			{place: atDone, style: done, holds: []ledger.Class{ledger.Done}, rank: 11, share: 6, units: 240},
			{place: atDone, label: "Files modified", style: inline, holds: []ledger.Class{ledger.FileModified}, rank: 4, share: 8, list: true, units: 400},
			{place: atDone, label: "Files created", style: inline, holds: []ledger.Class{ledger.FileCreated}, rank: 4, share: 4, list: true, units: 400},
			{place: atDone, label: "Files deleted", style: inline, holds: []ledger.Class{ledger.FileDeleted}, rank: 4, share: 3, list: true, units: 400},
			{place: atDone, label: "Files moved", style: inline, holds: []ledger.Class{ledger.FileMoved}, rank: 4, share: 3, list: true, units: 800},
			{place: atDoing, style: todo, rank: 5, share: 6, units: 240},
			{place: atBlocked, holds: []ledger.Class{ledger.Error}, rank: 3, share: 12, units: 1000},
			{place: atDecisions, holds: []ledger.Class{ledger.Decision}, rank: 6, share: 8, units: 320},
			{place: atNext, style: todo, holds: []ledger.Class{ledger.Open}, rank: 5, share: 10, units: 240},
			{place: atNext, label: "Open question", holds: []ledger.Class{ledger.Question}, rank: 7, share: 4, units: 320},
			{place: atContext, label: "Files read", style: inline, holds: []ledger.Class{ledger.FileRead}, rank: 8, share: 5, list: true, units: 400},
			{place: atContext, label: "Command", holds: []ledger.Class{ledger.Command}, rank: 9, share: 8, spare: true, units: 320},
			{place: atContext, label: saidLabel, rank: 14, share: 18, spare: true, units: 800},
			{place: atContext, label: "Hashes", style: inline, holds: []ledger.Class{ledger.Hash}, rank: 12, share: 3, spare: true, units: 120},
			{place: atContext, label: "Addresses", style: inline, holds: []ledger.Class{ledger.URL}, rank: 12, share: 4, spare: true, units: 300},
			{place: atContext, label: "Names", style: inline, holds: []ledger.Class{ledger.Identifier}, rank: 13, share: 6, spare: true, units: 120},
			{place: atContext, label: "Numbers", style: inline, holds: []ledger.Class{ledger.Number}, rank: 13, share: 4, spare: true, units: 120},
			{place: atContext, rank: 10, share: 15, spare: true, units: 480}, // notes
		},
	}
}

// prefixForm is the shape for the beginning of a split turn.
func prefixForm() form {
	return form{
		places: []place{atRequest, atSoFar, atRelevant},
		notes:  atRelevant,
		groups: []group{
			{place: atRequest, holds: []ledger.Class{ledger.Request}, rank: 2, share: 25, first: true, units: 2000},
			{place: atRelevant, label: keepLabel, rank: 2, share: guidedShare, units: 480},
			{place: atRelevant, label: imageLabel, rank: 8, share: 5, units: 160},
			{place: atRelevant, label: noteLabel, rank: 2, share: 15, units: 4000},
			{place: atSoFar, style: done, holds: []ledger.Class{ledger.Done}, rank: 7, share: 8, units: 240},
			{place: atSoFar, label: "Files modified", style: inline, holds: []ledger.Class{ledger.FileModified}, rank: 4, share: 8, list: true, units: 400},
			{place: atSoFar, label: "Files created", style: inline, holds: []ledger.Class{ledger.FileCreated}, rank: 4, share: 4, list: true, units: 400},
			{place: atSoFar, label: "Files deleted", style: inline, holds: []ledger.Class{ledger.FileDeleted}, rank: 4, share: 3, list: true, units: 400},
			{place: atSoFar, label: "Files moved", style: inline, holds: []ledger.Class{ledger.FileMoved}, rank: 4, share: 3, list: true, units: 800},
			{place: atSoFar, label: "Command", holds: []ledger.Class{ledger.Command}, rank: 9, share: 10, spare: true, units: 320},
			{place: atSoFar, label: saidLabel, rank: 14, share: 25, spare: true, units: 800},
			{place: atRelevant, label: "Rule", holds: []ledger.Class{ledger.Constraint}, rank: 1, share: 30, units: 480},
			{place: atRelevant, label: "Failing", holds: []ledger.Class{ledger.Error}, rank: 3, share: 15, units: 1000},
			{place: atRelevant, style: todo, holds: []ledger.Class{ledger.Open}, rank: 5, share: 10, units: 240},
			{place: atRelevant, label: "Decision", holds: []ledger.Class{ledger.Decision}, rank: 6, share: 8, units: 320},
			{place: atRelevant, label: "Open question", holds: []ledger.Class{ledger.Question}, rank: 6, share: 4, units: 320},
			{place: atRelevant, label: "Files read", style: inline, holds: []ledger.Class{ledger.FileRead}, rank: 8, share: 5, list: true, units: 400},
			{place: atRelevant, label: "Names", style: inline, holds: []ledger.Class{ledger.Identifier}, rank: 12, share: 6, spare: true, units: 120},
			{place: atRelevant, label: "Numbers", style: inline, holds: []ledger.Class{ledger.Number}, rank: 12, share: 4, spare: true, units: 120},
			{place: atRelevant, rank: 10, share: 10, spare: true, units: 480}, // notes
		},
	}
}

// arrow is between the old and the new path of a moved file.
const arrow = " → "

// shown returns a fact as it is written in a summary. The fact's own text is in
// it word for word; the words of tools are quoted, so that they read as such.
func shown(f ledger.Fact) string {
	text := oneLine(f.Text)
	note := oneLine(f.Note)
	switch f.Class {
	case ledger.Request:
		return `"` + text + `"`
	case ledger.Error:
		if note != "" {
			return code(clip(note, 160)) + ": " + code(text)
		}
		return code(text)
	case ledger.Command:
		text = code(text)
	case ledger.FileMoved:
		if note != "" {
			return text + arrow + note
		}
	case ledger.Constraint, ledger.FileRead, ledger.FileModified, ledger.FileCreated, ledger.FileDeleted, ledger.Open:
		return text
	}
	if note != "" {
		return text + " (" + note + ")"
	}
	return text
}

// code quotes words of a tool.
func code(text string) string {
	if strings.Contains(text, "`") {
		return `"` + text + `"`
	}
	return "`" + text + "`"
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(safetext.Sanitize(text)), " ")
}
