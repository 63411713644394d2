package main

import (
	"bytes"
	"os"
	"testing"

	"charm.land/catwalk/pkg/embedded"
)

func TestTableIsCurrent(t *testing.T) {
	want, err := table(embedded.GetAll())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the table is not that of the catalogue's version in go.mod: go generate ./provider/...")
	}
}
