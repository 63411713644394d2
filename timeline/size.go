package timeline

import (
	"fmt"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// Size is how big the next request is, in tokens and bytes. One function
// gives it to trigger, meter, hooks and commands (spec/context.md, Sizes).
type Size struct {
	Measured  *int64 // by the provider's last count, what came after it estimated; nil: no count that holds
	Estimated int64  // the sum of estimates, fixed part and pending input included
	Fixed     int64  // system prompt and tools; 0: unknown
	Pending   int64  // input that waits to be sent
	Bytes     int64  // of content
	Usage     int64  // the provider's count alone; 0: none
	Problems  []session.Problem
}

// Decision is the number that decides: the larger of the two.
func (s Size) Decision() int64 {
	if s.Measured != nil && *s.Measured > s.Estimated {
		return *s.Measured
	}
	return s.Estimated
}

// Sizer measures items one by one. It remembers the first that could not be
// read, so that a sum is asked for its error once, at its end.
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

// Limits within which a measured size is believed (spec/context.md, Sizes).
const (
	disbeliefFactor  = 3
	unknownFixedRoom = 50_000
	truncationFactor = 0.3
	truncationFloor  = 1000 // below this an estimate says too little
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
	usage, at, err := v.lastUsage()
	if err != nil {
		return Size{}, err
	}
	var behind, through int64
	for i, n := range sizes {
		s.Estimated += n
		s.Bytes += bytes[i]
		if usage != nil && v.after(i, at) {
			behind += n
		} else {
			through += n
		}
	}
	s.Estimated += s.Fixed + pending
	s.Bytes += int64(len(v.Prompt.System()))
	if usage == nil {
		return s, nil
	}
	s.Usage = usage.Total()
	measured := s.Usage + behind + pending
	ceiling := disbeliefFactor * s.Estimated
	if !v.Prompt.Known {
		ceiling += unknownFixedRoom
	}
	switch {
	case measured > ceiling:
		s.Problems = append(s.Problems, session.Problem{Kind: "implausible-usage",
			Detail: fmt.Sprintf("the last usage says %d tokens where %d are estimated: not believed", measured, s.Estimated)})
		return s, nil
	case through > truncationFloor && float64(s.Usage) < truncationFactor*float64(through+s.Fixed):
		s.Problems = append(s.Problems, session.Problem{Kind: "truncated-by-server",
			Detail: fmt.Sprintf("the last usage says %d tokens where %d are estimated: the server may have cut the request", s.Usage, through+s.Fixed)})
	}
	s.Measured = &measured
	return s, nil
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
	_, ok := est.(tokens.Default)
	return ok && !it.bare
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

// lastUsage finds the newest count that still holds: of a message that
// neither failed nor was aborted, by the model in use, behind everything that
// changed the view since. It returns the item's index too.
func (v *View) lastUsage() (*message.Usage, int, error) {
	changed := -1
	for i, e := range v.Path {
		if e.Type == session.TypeCompaction || e.Type == session.TypeContextEdit || e.Pin() != nil || e.Undoes() != "" {
			changed = i
		}
	}
	for i := len(v.Items) - 1; i >= 0; i-- {
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
			return nil, -1, err
		}
		if m.Usage.Total() > 0 {
			return m.Usage, i, nil
		}
	}
	return nil, -1, nil
}

// ContentBytes is about what a message adds to a request body.
func ContentBytes(m *message.Message) int64 {
	if llm := ToLLM(m); llm != nil {
		return int64(message.EncodedLen(llm.Content))
	}
	return 0
}
