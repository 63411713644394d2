package recall

import (
	"bytes"
	"context"
	"iter"
	"math"
	"time"

	"github.com/coppice-dev/coppice/session"
)

// Branches of hits.
const (
	branchActive = "active" // on the path to the leaf
	branchOther  = "other"
)

// DefaultLimit is how many hits a search returns.
const DefaultLimit = 50

// Options are the choices of a search. The zero value is the usual one.
type Options struct {
	Limit  int  // greatest number of hits; 0: DefaultLimit
	Active bool // only the path to the leaf; this takes another pass over the log
}

// Hit is an entry that contains everything in the query.
type Hit struct {
	EntryID string
	Path    string // "en:" and the id; Read takes it
	Role    string
	Branch  string  // branchActive or branchOther
	Score   float64 // higher is better; comparable within one search only
	Snippet string  // one line around a match, cut between characters
}

// Search looks through all entries of a log, on every branch, for those that
// contain each word and each "quoted phrase" of the query, ignoring case. It
// yields the best hits, best first: by how often a word occurs, where (the
// user's words count more than tool output), and how recent the entry is. An
// error, such as ErrEmptyQuery, ends the sequence.
func Search(ctx context.Context, log session.Log, text string, o Options) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		hits, err := search(ctx, log, text, o)
		if err != nil {
			yield(Hit{}, err)
			return
		}
		for _, h := range hits {
			if !yield(h, nil) {
				return
			}
		}
	}
}

func search(ctx context.Context, log session.Log, text string, o Options) ([]Hit, error) {
	q, err := parseQuery(text)
	if err != nil {
		return nil, err
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	s := searcher{query: q, best: top{limit: o.Limit}}
	leaf, err := log.Leaf(ctx)
	if err != nil {
		return nil, err
	}
	if leaf != nil {
		s.now = leaf.Time
	}
	if o.Active {
		tree, err := session.ReadTree(ctx, log, func(int, *session.Entry) error { return nil })
		if err != nil {
			return nil, err
		}
		s.only = tree.OnPath()
	}
	tree, err := session.ReadTree(ctx, log, s.look)
	if err != nil {
		return nil, err
	}
	onPath := tree.OnPath()
	ranked := s.best.sorted()
	hits := make([]Hit, len(ranked))
	for i, c := range ranked {
		hits[i] = c.Hit
		hits[i].Branch = branchOther
		if onPath[c.place] {
			hits[i].Branch = branchActive
		}
	}
	return hits, nil
}

// searcher examines one entry after another.
type searcher struct {
	query
	now  time.Time // of the leaf: recency is counted from there
	best top
	only []bool // places to look at; nil: all

	raw    []byte // reused
	folded [][]byte
}

func (s *searcher) look(place int, e *session.Entry) error {
	if s.only != nil && (place >= len(s.only) || !s.only[place]) {
		return nil
	}
	raw, err := e.Raw()
	if err != nil || s.rulesOut(raw, &s.raw) {
		return err
	}
	parts, err := partsOf(e)
	if err != nil {
		return err
	}
	score, ok := s.score(parts)
	if !ok {
		return nil
	}
	score *= recency(s.now, e.Time)
	score = math.Round(score*1000) / 1000
	if !s.best.takes(score, place) {
		return nil
	}
	s.best.add(candidate{place: place, Hit: Hit{EntryID: e.ID, Path: "en:" + e.ID, Role: roleOf(e),
		Score: score, Snippet: s.snippet(parts)}})
	return nil
}

// score adds up how often each term is found and where; it returns false if a
// term is missing. Each repetition of a word counts less.
func (s *searcher) score(parts []part) (float64, bool) {
	for len(s.folded) < len(parts) {
		s.folded = append(s.folded, nil)
	}
	for i, p := range parts {
		s.folded[i] = s.folded[i][:0]
		if p.weight > 0 {
			s.folded[i] = fold(s.folded[i], p.text)
		}
	}
	total := 0.0
	for _, term := range s.terms {
		found := 0.0
		for i, p := range parts {
			if n := bytes.Count(s.folded[i], term); n > 0 {
				found += p.weight * (1 + math.Log(float64(n)))
			}
		}
		if found == 0 {
			return 0, false
		}
		total += found
	}
	return total, true
}

// recency is a factor from 1 for old entries to 2 for the newest ones; a day
// ago is half way.
func recency(now, then time.Time) float64 {
	if now.IsZero() || then.IsZero() {
		return 1
	}
	days := max(now.Sub(then), 0).Hours() / 24
	return 1 + 1/(1+days)
}

// snippet shows the first match in the part with the greatest weight that has
// one.
func (s *searcher) snippet(parts []part) string {
	best, at := -1, 0
	for i, p := range parts {
		if best >= 0 && p.weight <= parts[best].weight {
			continue
		}
		for _, term := range s.terms {
			if n := bytes.Index(s.folded[i], term); n >= 0 {
				best, at = i, n
				break
			}
		}
	}
	text := parts[best].text
	return snippet(text, unfolded(text, at))
}
