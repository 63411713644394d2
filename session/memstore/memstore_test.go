package memstore

import (
	"testing"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) session.Store { return New(nil) }, storetest.Options{})
}
