package timeline

import (
	"fmt"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// Size is how big the next request is, in tokens and bytes. One function
// gives it to trigger, meter, hooks and commands (docs/context.md, Sizes).
type Size struct {
	// Measured is the provider's last count and the calibrated estimate of what
	// came after it; nil: there is no count that holds.
	Measured  *int64
	Estimated int64 // the sum of estimates, fixed part and pending input included
	// Ratio is how many of its tokens the provider counts for one of ours in
	// what its last count covers; 0: not known.
	Ratio    float64
	Fixed    int64 // system prompt and tools; 0: unknown
	Pending  int64 // input that waits to be sent
	Bytes    int64 // of content
	Usage    int64 // the provider's count alone; 0: none
	Problems []session.Problem
}

// Decision is the number that decides: what was measured, else the estimate,
// calibrated where a ratio is known.
func (s Size) Decision() int64 {
	switch {
	case s.Measured != nil:
		return *s.Measured
	case s.Ratio > 0:
		return int64(float64(s.Estimated) * s.Ratio)
	}
	return s.Estimated
}

// Calibrated is a size by a ratio that is known from earlier counts of the same
// model, where none of its own holds.
func (s Size) Calibrated(ratio float64) Size {
	if s.Measured == nil && ratio > 0 {
		s.Ratio = ratio
	}
	return s
}

// Sizer measures items one by one. It remembers the first that could not be
// read, so that a sum is asked for its error once, at its end. The zero value
// is not usable: the estimator has to be set.
type Sizer struct {
	Estimator tokens.Estimator
	err       error
}

// Of is the estimate of what an item shows, 0 where it cannot be read.
func (s *Sizer) Of(it Item) int64 {
	n, err := it.tokens(s.Estimator)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n
}

// Err says why an item could not be read; nil: all could.
func (s *Sizer) Err() error { return s.err }

// Limits within which a count is believed (docs/context.md, Sizes). One
// outside of them is reported, and the estimate decides.
const (
	farAbove         = 3      // times the estimate, unless the count before agrees
	agrees           = 1.1    // between two ratios
	farBelow         = 6      // a part of the estimate
	unknownFixedRoom = 50_000 // tokens
	calibrates       = 1000   // tokens of estimate: below this a ratio says too little
)

// Size measures the view. pending is the size of input that waits. It fails
// where a message cannot be read.
func (v *View) Size(est tokens.Estimator, pending int64) (Size, error) {
	s := Size{Fixed: v.Prompt.Tokens(est), Pending: pending}
	sizes, bytes := make([]int64, len(v.Items)), make([]int64, len(v.Items))
	err := parallel(len(v.Items), func(i int) error {
		var err error
		sizes[i], bytes[i], err = v.Items[i].size(est)
		return err
	})
	if err != nil {
		return Size{}, err
	}
	counts, err := v.counts(sizes, s.Fixed)
	if err != nil {
		return Size{}, err
	}
	for i, n := range sizes {
		s.Estimated += n
		s.Bytes += bytes[i]
	}
	s.Estimated += s.Fixed + pending
	s.Bytes += int64(len(v.Prompt.System()))
	s.measure(counts, v.Prompt.Known)
	return s, nil
}

// measure uses the newest count, if it is to be believed.
func (s *Size) measure(counts []count, known bool) {
	if len(counts) == 0 {
		return
	}
	last := counts[0]
	s.Usage = last.tokens
	report := func(kind, format string, args ...any) {
		s.Problems = append(s.Problems, session.Problem{Kind: kind, Detail: fmt.Sprintf(format, args...)})
	}
	ceiling := farAbove * last.estimate
	if !known {
		ceiling += unknownFixedRoom
	}
	switch {
	case last.tokens > ceiling && !(len(counts) > 1 && last.agrees(counts[1])):
		report("implausible-usage", "the last usage says %d tokens where %d are estimated: not believed", last.tokens, last.estimate)
		return
	case last.estimate > calibrates && last.tokens < last.estimate/farBelow:
		report("truncated-by-server", "the last usage says %d tokens where %d are estimated: the server may have cut the request", last.tokens, last.estimate)
		return
	}
	ratio := 1.0
	if known && last.estimate >= calibrates {
		ratio = last.ratio()
		s.Ratio = ratio
	}
	after := s.Estimated - last.estimate // pending input included
	measured := last.tokens + int64(float64(after)*ratio)
	s.Measured = &measured
}

// count is what a provider said of a request and its answer, and our estimate
// of the same range, the fixed part included.
type count struct{ tokens, estimate int64 }

func (c count) ratio() float64 { return float64(c.tokens) / float64(max(c.estimate, 1)) }

func (c count) agrees(o count) bool {
	return c.ratio() <= o.ratio()*agrees && o.ratio() <= c.ratio()*agrees
}

// size is the estimate of what an item shows, and about what it adds to a
// request body. What was counted when the entry was read needs no decoding.
func (it Item) size(est tokens.Estimator) (n, bytes int64, err error) {
	if m := it.Meta(); it.counted(est) && sentAsStored(m.Role) {
		return m.Tokens, m.ContentBytes, nil
	}
	m, err := it.Message()
	if err != nil {
		return 0, 0, err
	}
	return est.Message(m), ContentBytes(m), nil
}

// tokens is the estimate of what an item shows.
func (it Item) tokens(est tokens.Estimator) (int64, error) {
	if it.counted(est) {
		return it.Meta().Tokens, nil
	}
	m, err := it.Message()
	if err != nil {
		return 0, err
	}
	return est.Message(m), nil
}

// counted reports whether the tokens of an item are known as an estimator would
// count them.
func (it Item) counted(est tokens.Estimator) bool {
	d, ok := est.(tokens.Default)
	return ok && d == tokens.Default{} && !it.bare
}

// sentAsStored reports whether a request has the content of a message as it is
// in the log.
func sentAsStored(r message.Role) bool {
	return r == message.RoleUser || r == message.RoleAssistant || r == message.RoleToolResult || r == message.RoleCustom
}

// after reports whether the request that item at answered had no item i. Late
// results are shown with their calls, further up.
func (v *View) after(i, at int) bool {
	if p := v.Items[i].Pos; p >= 0 {
		return p > v.Items[at].Pos
	}
	return i > at
}

// counts finds the newest two counts that still hold, the newest first: of
// messages that neither failed nor were aborted, by the model in use, after
// everything that changed the view since.
func (v *View) counts(sizes []int64, fixed int64) ([]count, error) {
	changed := -1
	for i, e := range v.Path {
		if e.Type == session.TypeCompaction || e.Type == session.TypeContextEdit || e.Pin() != nil || e.Undoes() != "" {
			changed = i
		}
	}
	var found []count
	for i := len(v.Items) - 1; i >= 0 && len(found) < 2; i-- {
		it := v.Items[i]
		if it.Entry == nil {
			continue
		}
		if it.Pos < 0 || it.Pos < changed {
			break
		}
		said := it.Meta()
		if said.Role != message.RoleAssistant || v.Model != nil && (said.Provider != v.Model.Provider || said.Model != v.Model.ModelID) {
			continue
		}
		m, err := it.own()
		if err != nil {
			return nil, err
		}
		if m.Usage.Total() <= 0 {
			continue
		}
		c := count{tokens: m.Usage.Total(), estimate: fixed}
		for k, n := range sizes {
			if !v.after(k, i) {
				c.estimate += n
			}
		}
		found = append(found, c)
	}
	return found, nil
}

// ContentBytes is about what a message adds to a request body.
func ContentBytes(m *message.Message) int64 {
	if llm := ToLLM(m); llm != nil {
		return int64(message.EncodedLen(llm.Content))
	}
	return 0
}
