package agent

import (
	"slices"
	"sync"
)

// InputKind says when queued input is delivered.
type InputKind string

// The kinds.
const (
	Steer    InputKind = "steer"     // between tool rounds of the running turn
	FollowUp InputKind = "follow-up" // after the turn
)

// Input is something the user said that the model has not seen yet.
type Input struct {
	ID   int       `json:"id"` // for TakeBack
	Kind InputKind `json:"kind"`
	Text string    `json:"text"`
}

// queue keeps input in order. Each input leaves it exactly once, by being
// delivered or taken back. It is safe for concurrent use.
type queue struct {
	mu    sync.Mutex
	last  int
	items []Input
}

func (q *queue) add(kind InputKind, text string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	q.items = append(q.items, Input{ID: q.last, Kind: kind, Text: text})
	return q.last
}

// first returns the oldest input, or the oldest of a kind if one is given.
func (q *queue) first(kind InputKind) (Input, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, in := range q.items {
		if kind == "" || in.Kind == kind {
			return in, true
		}
	}
	return Input{}, false
}

func (q *queue) remove(id int) (Input, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.items, func(in Input) bool { return in.ID == id })
	if i < 0 {
		return Input{}, false
	}
	in := q.items[i]
	q.items = slices.Delete(q.items, i, i+1)
	return in, true
}

// putBack returns input that could not be delivered to the front.
func (q *queue) putBack(in Input) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.Insert(q.items, 0, in)
}

func (q *queue) list() []Input {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.items)
}
