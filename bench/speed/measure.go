package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	repeats  = 3               // how often a process repeats its step: first with its own caches cold, then warm
	patience = 4 * time.Second // no further repeat after that
)

// result is what one process measured. pi.mjs prints the same.
type result struct {
	Milliseconds []float64 `json:"ms"`        // of each repeat; of each append
	PeakBytes    int64     `json:"peakBytes"` // after the first repeat; 0: not known here
	Answer       string    `json:"answer"`    // the result of the step, to be compared

	failure string // why the other fields are empty: what the program printed
}

// measure runs one step and prints the result.
func measure(ctx context.Context, s step, path string) error {
	var r result
	if s != stepIdle {
		if err := warm(path); err != nil {
			return err
		}
	}
	var err error
	if s.writes() {
		r, err = measureAppends(ctx, s, path)
	} else {
		r, err = measureRepeats(ctx, s, path)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func measureRepeats(ctx context.Context, s step, path string) (r result, err error) {
	begin := time.Now()
	for i := 0; i < repeats && time.Since(begin) < patience; i++ {
		start := time.Now()
		if r.Answer, err = perform(ctx, s, path); err != nil {
			return r, err
		}
		r.Milliseconds = append(r.Milliseconds, milliseconds(time.Since(start)))
		if i == 0 {
			r.PeakBytes = peak()
		}
	}
	return r, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// warm loads a file, or the files of a folder, into the system's page cache.
func warm(path string) error {
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(io.Discard, f)
		return err
	})
}

// peak is the peak memory of this process in bytes, or 0 if the system does not
// report it. Measured by the parent it would be wrong: the child of a large
// process starts with the parent's size.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
