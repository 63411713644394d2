package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// ContentHash returns the hash of a file's content, by which the user trusts
// it.
func ContentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// trustFile is the file in the user's folder that records what is trusted:
// content hashes by path. A file that changes has to be trusted again, and so
// has another file with the same content.
type trustFile struct {
	Trusted map[string]string `json:"trusted"`
}

// parseTrust reads a trust file. No data is an empty one.
func parseTrust(data []byte) (trustFile, error) {
	t := trustFile{Trusted: map[string]string{}}
	if len(bytes.TrimSpace(data)) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return trustFile{}, fmt.Errorf("cannot be read, so no project is trusted: %w", err)
	}
	if t.Trusted == nil {
		t.Trusted = map[string]string{}
	}
	return t, nil
}

func (t trustFile) encode() []byte {
	out, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("settings: %v", err)) // a map of texts
	}
	return append(out, '\n')
}
