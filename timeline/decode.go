package timeline

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/coppice-dev/coppice/session"
)

// decodeChunk is how many entries a worker decodes at a time.
const decodeChunk = 64

// decodeAll decodes the messages of a path that is about to be read through,
// on all processors where it is long.
func decodeAll(path []*session.Entry) {
	if len(path) < 2*decodeChunk {
		return // each is decoded when it is asked for
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				to := int(next.Add(decodeChunk))
				if to-decodeChunk >= len(path) {
					return
				}
				for _, e := range path[to-decodeChunk : min(to, len(path))] {
					e.Message()
				}
			}
		})
	}
	workers.Wait()
}
