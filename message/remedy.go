package message

// Remedy is what to do about a call that failed.
type Remedy string

// The remedies. The words are those of `coppice explain-error --json`.
const (
	RemedyCompact         Remedy = "compact"          // make the conversation smaller
	RemedyReduceOutput    Remedy = "reduce-output"    // ask for less output
	RemedyDropMedia       Remedy = "drop-media"       // leave images out, oldest first
	RemedyShrinkMedia     Remedy = "shrink-media"     // scale the image down, or replace it
	RemedyShortenField    Remedy = "shorten-field"    // shorten or renew the field that Limit.Where names
	RemedyFewerItems      Remedy = "fewer-items"      // send fewer of what Limit.Where names
	RemedyWait            Remedy = "wait"             // and send the same again
	RemedyStop            Remedy = "stop"             // nothing helps before the account has more
	RemedyAuthenticate    Remedy = "authenticate"     // give another key
	RemedyRepairRequest   Remedy = "repair-request"   // its form is wrong
	RemedyRepairPairs     Remedy = "repair-pairs"     // each call with its result
	RemedyDropThinking    Remedy = "drop-thinking"    // send without reasoning
	RemedyRestoreThinking Remedy = "restore-thinking" // send the reasoning that is missing or was changed
	RemedyRetry           Remedy = "retry"            // send the same again
	RemedyNone            Remedy = "none"
)

// Tries counts remedies: how often each may be tried for one answer, or has
// been. A remedy that is not in it counts 0.
type Tries map[Remedy]int

// MinOutput is the room in tokens below which asking for less output is not
// worth a call (docs/limits.md); half of a window that is smaller than twice
// as much.
const MinOutput = 4096

// Remedies are the things to do about a fault, best first. It never is empty.
func (f *Fault) Remedies() []Remedy {
	byClass := f.byClass()
	if f.Remedy == "" || f.Remedy == byClass[0] {
		return byClass
	}
	if f.Class == ClassThinking {
		// What the provider asks to have back is not taken out instead.
		return []Remedy{f.Remedy}
	}
	return append([]Remedy{f.Remedy}, byClass...)
}

// Next is the remedy for a caller that may try each so many times for one
// answer, and has tried what tried counts. RemedyNone: give up.
func (f *Fault) Next(may, tried Tries) Remedy {
	for _, r := range f.Remedies() {
		if tried[r] < may[r] {
			return r
		}
	}
	return RemedyNone
}

func (f *Fault) byClass() []Remedy {
	switch f.Class {
	case ClassOverflow:
		return []Remedy{RemedyCompact}
	case ClassOverflowOutput:
		if l := f.Limit; l.Unit != UnitOutput && l.Used > 0 && l.Max-l.Used < min(MinOutput, l.Max/2) {
			// There is hardly any room for an answer.
			return []Remedy{RemedyCompact, RemedyReduceOutput}
		}
		return []Remedy{RemedyReduceOutput, RemedyCompact}
	case ClassBytes:
		if f.Limit.Where != "" { // one part of the body
			return []Remedy{RemedyShrinkMedia, RemedyDropMedia}
		}
		return []Remedy{RemedyDropMedia, RemedyShortenField}
	case ClassRateLimit:
		return []Remedy{RemedyWait}
	case ClassQuota:
		return []Remedy{RemedyStop}
	case ClassAuth:
		return []Remedy{RemedyAuthenticate}
	case ClassBadRequest:
		return f.byUnit()
	case ClassPairing:
		return []Remedy{RemedyRepairPairs}
	case ClassThinking:
		return []Remedy{RemedyDropThinking}
	case ClassTransient:
		return []Remedy{RemedyRetry}
	}
	return []Remedy{RemedyNone}
}

// byUnit are the remedies for one part of a request that is too large.
func (f *Fault) byUnit() []Remedy {
	switch f.Limit.Unit {
	case UnitCharacters:
		return []Remedy{RemedyShortenField}
	case UnitItems:
		switch f.Limit.Where {
		case "messages", "input":
			return []Remedy{RemedyFewerItems, RemedyCompact}
		case "image", "page", "document", "file", "attachment":
			return []Remedy{RemedyFewerItems, RemedyDropMedia}
		}
		return []Remedy{RemedyFewerItems}
	case UnitPixels, UnitBytes:
		return []Remedy{RemedyShrinkMedia, RemedyDropMedia}
	}
	if f.Remedy == RemedyShrinkMedia { // it is not what it says
		return []Remedy{RemedyShrinkMedia, RemedyDropMedia}
	}
	return []Remedy{RemedyRepairRequest}
}
