package message

import "github.com/coppice-dev/coppice/internal/kinds"

// Remedy is what to do about a call that failed, a word of docs/cli.md as in
// "compact" or "retry"; "none": give up.
type Remedy string

// Remedies returns what to do about a fault, best first. It is never empty.
func (f *Fault) Remedies() []Remedy {
	byClass := f.byClass()
	if f.Remedy == "" || f.Remedy == byClass[0] {
		return byClass
	}
	if f.Class == ClassThinking {
		// If the provider asks for something back, taking it out is not a remedy.
		return []Remedy{f.Remedy}
	}
	return append([]Remedy{f.Remedy}, byClass...)
}

// Next returns the next remedy, for a caller that may try each as often as may
// says for one answer and has tried each as often as tried says. "none": give
// up.
func (f *Fault) Next(may, tried map[Remedy]int) Remedy {
	for _, r := range f.Remedies() {
		if tried[r] < may[r] {
			return r
		}
	}
	return kinds.RemedyNone
}

func (f *Fault) byClass() []Remedy {
	switch f.Class {
	case ClassOverflow:
		return []Remedy{kinds.RemedyCompact}
	case ClassOverflowOutput:
		if l := f.Limit; l.Unit != kinds.UnitOutput && l.Used > 0 && l.Max-l.Used < min(kinds.MinOutput, l.Max/2) {
			// There is hardly any room for an answer.
			return []Remedy{kinds.RemedyCompact, kinds.RemedyReduceOutput}
		}
		return []Remedy{kinds.RemedyReduceOutput, kinds.RemedyCompact}
	case ClassBytes:
		if f.Limit.Where != "" { // one part of the body
			return []Remedy{kinds.RemedyShrinkMedia, kinds.RemedyDropMedia}
		}
		return []Remedy{kinds.RemedyDropMedia, kinds.RemedyShortenField}
	case ClassRateLimit:
		return []Remedy{kinds.RemedyWait}
	case ClassQuota:
		return []Remedy{kinds.RemedyStop}
	case ClassAuth:
		return []Remedy{kinds.RemedyAuthenticate}
	case ClassBadRequest:
		return f.byUnit()
	case ClassPairing:
		return []Remedy{kinds.RemedyRepairPairs}
	case ClassThinking:
		return []Remedy{kinds.RemedyDropThinking}
	case ClassTransient:
		return []Remedy{kinds.RemedyRetry}
	}
	return []Remedy{kinds.RemedyNone}
}

// byUnit returns the remedies for one part of a request that is too large.
func (f *Fault) byUnit() []Remedy {
	switch f.Limit.Unit {
	case kinds.UnitCharacters:
		return []Remedy{kinds.RemedyShortenField}
	case kinds.UnitItems:
		switch f.Limit.Where {
		case "messages", "input", "contents":
			return []Remedy{kinds.RemedyFewerItems, kinds.RemedyCompact}
		case "image", "page", "document", "file", "attachment":
			return []Remedy{kinds.RemedyFewerItems, kinds.RemedyDropMedia}
		}
		return []Remedy{kinds.RemedyFewerItems}
	case kinds.UnitPixels, kinds.UnitBytes:
		return []Remedy{kinds.RemedyShrinkMedia, kinds.RemedyDropMedia}
	}
	if f.Remedy == kinds.RemedyShrinkMedia { // the image is not of the type that it claims
		return []Remedy{kinds.RemedyShrinkMedia, kinds.RemedyDropMedia}
	}
	return []Remedy{kinds.RemedyRepairRequest}
}
