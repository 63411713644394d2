package session_test

import (
	"testing"
	"time"

	"github.com/coppice-dev/coppice/session"
)

func TestLockedErrorSaysWho(t *testing.T) {
	for want, e := range map[string]session.LockedError{
		"a.jsonl: open for writing in another process":                                     {Ref: "a.jsonl"},
		"a.jsonl: process 7 on den has had it open for writing since 2026-01-02T03:04:05Z": {Ref: "a.jsonl", PID: 7, Host: "den", Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	} {
		if e.Error() != want {
			t.Errorf("%s, want %s", e.Error(), want)
		}
	}
}
