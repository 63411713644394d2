package agent_test

import (
	"os"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/provider/fake"
)

// Entries that another program appends while the agent has the session open are
// reported as one event, inside the turn that noticed them.
func TestForeignAppendIsReported(t *testing.T) {
	r := newRig(t, fake.New(fake.Say("one"), fake.Say("two"), fake.Say("three")), config{Session: onDisk(t)})
	r.must("first")
	f, err := os.OpenFile(r.session.Ref(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"type":"custom","customType":"x","id":"f1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z"}` + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r.must("second")
	r.must("third")
	events := r.of(agent.EventForeign)
	if len(events) != 1 || events[0].Entries != 1 || events[0].EntryID != "f1" || events[0].Joined {
		t.Errorf("events %+v, want one entry, f1, on a branch of its own", events)
	}
}
