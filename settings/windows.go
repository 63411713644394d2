package settings

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
)

// windowsName is the file beside the user's settings that remembers which
// context windows refusals named. It can be deleted at any time.
const windowsName = "windows.json"

// Windows returns the context windows that refusals have taught, in tokens by
// "provider/id". A file that is missing or broken teaches nothing; the error
// then says why, but for a missing one.
func Windows(o Options) (map[string]int64, error) {
	dir, err := ConfigDir(o.getenv())
	if err != nil {
		return nil, nil //nolint:nilerr // no folder, no memory
	}
	name := filepath.Join(dir, windowsName)
	data, err := o.read(name)
	if err == nil && len(data) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("learned windows: %w", err)
	}
	var windows map[string]int64
	if err := json.Unmarshal(data, &windows); err != nil {
		return nil, fmt.Errorf("learned windows: %s: %w", name, err)
	}
	maps.DeleteFunc(windows, func(_ string, n int64) bool { return n <= 0 })
	return windows, nil
}

// RememberWindows adds windows to those that are remembered.
func RememberWindows(o Options, windows map[string]int64) error {
	known, _ := Windows(o) // what is broken is written anew
	all := maps.Clone(windows)
	for model, n := range known {
		if _, ok := all[model]; !ok {
			all[model] = n
		}
	}
	if maps.Equal(all, known) {
		return nil
	}
	dir, err := ConfigDir(o.getenv())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("{")
	for i, model := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			b.WriteString(",")
		}
		name, err := json.Marshal(model)
		if err != nil {
			return err
		}
		b.WriteString("\n  " + string(name) + ": " + strconv.FormatInt(all[model], 10))
	}
	b.WriteString("\n}\n")
	return replaceFile(filepath.Join(dir, windowsName), b.Bytes())
}
