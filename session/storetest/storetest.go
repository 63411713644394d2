// Package storetest is the conformance suite of session.Store. A store runs it
// in its tests:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) session.Store { return mystore.New(t.TempDir()) }, storetest.Options{})
//	}
//
// A store that other processes can reach, that has a disk, or whose writes may
// succeed although they report an error, gives Options.
package storetest

import (
	"testing"

	"github.com/coppice-dev/coppice/session"
)

// Options are ways to handle a store that only some tests need. A test whose
// way is missing is skipped.
type Options struct {
	// Place returns the store that is kept in a folder, or under its name: the
	// same sessions in every process. The folder is empty at first.
	Place func(dir string) session.Store
	// Unsure returns a new empty store, and a function that makes the next
	// append to a session that has a message write its entries and report an
	// error nevertheless, as when the answer of a database is lost.
	Unsure func(t *testing.T) (s session.Store, lose func())
	// PowerFailure returns a new empty store that makes each append durable
	// before it returns, and a function that returns the store as it would be
	// found if the power failed now.
	PowerFailure func(t *testing.T) (s session.Store, fail func() session.Store)
}

// Run tests a store. open must return a new empty store each time.
func Run(t *testing.T, open func(t *testing.T) session.Store, o Options) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s session.Store)
	}{
		{"Empty", testEmpty},
		{"Chain", testChain},
		{"Branches", testBranches},
		{"Group", testGroup},
		{"ParentsFirst", testParentsFirst},
		{"SetupWaits", testSetupWaits},
		{"Reopen", testReopen},
		{"UnknownIsCarried", testUnknown},
		{"RefusesBrokenEntries", testBroken},
		{"RefusesDuplicates", testDuplicates},
		{"RefusesLaterParents", testLaterParents},
		{"GroupIsWhole", testGroupIsWhole},
		{"OneWriter", testOneWriter},
		{"ReadOnly", testReadOnly},
		{"Find", testFind},
		{"OpenByID", testOpenByID},
		{"List", testList},
		{"Delete", testDelete},
		{"Close", testClose},
		{"Cancelled", testCancelled},
		{"Concurrent", testConcurrent},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
	t.Run("OneWriterOfAllProcesses", func(t *testing.T) {
		given(t, o.Place != nil)
		testProcesses(t, o.Place)
	})
	t.Run("WrittenInSpiteOfAnError", func(t *testing.T) {
		given(t, o.Unsure != nil)
		testUnsure(t, o.Unsure)
	})
	t.Run("PowerFailure", func(t *testing.T) {
		given(t, o.PowerFailure != nil)
		testPowerFailure(t, o.PowerFailure)
	})
}

// given skips a test whose way to handle the store is missing.
func given(t *testing.T, ok bool) {
	t.Helper()
	if !ok {
		t.Skip("the store's Options have no way to do this")
	}
}
