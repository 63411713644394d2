package timeline

import (
	"runtime"
	"sync/atomic"

	"github.com/coppice-dev/coppice/internal/guard"
	"golang.org/x/sync/errgroup"
)

// chunk is how many items a worker takes at a time.
const chunk = 64

// parallel calls f with each number below n, on all processors if n is large: f
// decodes messages, which takes nearly all of the time for a long view. It
// returns the first error.
func parallel(n int, f func(i int) error) error {
	if n < 2*chunk {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	var workers errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() error {
			_, err := guard.Call("what a view was given", func() (struct{}, error) {
				for {
					to := int(next.Add(chunk))
					if to-chunk >= n {
						return struct{}{}, nil
					}
					for i := to - chunk; i < min(to, n); i++ {
						if err := f(i); err != nil {
							return struct{}{}, err
						}
					}
				}
			})
			if err != nil {
				next.Store(int64(n)) // stop the others
			}
			return err
		})
	}
	return workers.Wait()
}
