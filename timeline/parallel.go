package timeline

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// chunk is how many items a worker takes at a time.
const chunk = 64

// parallel calls f with each number below n, on all processors where there
// are many: messages are decoded there, which is nearly all of the time that a
// long view takes.
func parallel(n int, f func(i int)) {
	if n < 2*chunk {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				to := int(next.Add(chunk))
				if to-chunk >= n {
					return
				}
				for i := to - chunk; i < min(to, n); i++ {
					f(i)
				}
			}
		})
	}
	workers.Wait()
}
