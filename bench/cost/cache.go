package main

import (
	"time"

	"github.com/coppice-dev/coppice/message"
)

// cache is a provider's prompt cache: prefixes of requests and when they expire.
type cache struct {
	tariff
	prefixes map[uint64]time.Time
}

// take bills a call and remembers its prefixes.
func (c *cache) take(k call) message.Usage {
	chain, sums := prefixesOf(k.parts)
	total := sums[len(sums)-1]
	u := message.Usage{Output: k.output}
	if k.detached {
		u.Input = total
		return u
	}
	var ends []int
	if c.marked {
		ends = k.marks
	} else {
		for i := range k.parts {
			ends = append(ends, i)
		}
	}
	hit := c.longest(k, chain, ends)
	if hit >= 0 {
		u.CacheRead = sums[hit]
		if c.step > 1 {
			u.CacheRead -= u.CacheRead % c.step
		}
		c.keep(chain[hit], k.at)
	}
	until := int64(0)
	for _, end := range ends {
		if sums[end] >= c.least {
			c.keep(chain[end], k.at)
			until = max(until, sums[end])
		}
	}
	u.CacheWrite = max(0, until-u.CacheRead)
	u.Input = total - u.CacheRead - u.CacheWrite
	return u
}

// keep renews a prefix from the start of the request that used it.
func (c *cache) keep(prefix uint64, at time.Time) { c.prefixes[prefix] = at.Add(c.lifetime) }

// longest finds the longest prefix that has not expired, looking back from each
// end; -1: none.
func (c *cache) longest(k call, chain []uint64, ends []int) int {
	for e := len(ends) - 1; e >= 0; e-- {
		for i, places := ends[e], 0; i >= 0; i-- {
			if until, ok := c.prefixes[chain[i]]; ok && !k.at.After(until) {
				return i
			}
			if places += k.parts[i].places; places >= max(c.lookback, 1) {
				break
			}
		}
	}
	return -1
}

// prefixesOf returns a name and the length of every prefix of a request.
func prefixesOf(parts []part) (chain []uint64, sums []int64) {
	h, sum := uint64(14695981039346656037), int64(0)
	for _, p := range parts {
		h = (h ^ p.id) * 1099511628211
		h ^= h >> 29
		sum += p.size
		chain, sums = append(chain, h), append(sums, sum)
	}
	return chain, sums
}
