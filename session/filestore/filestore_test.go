package filestore

import (
	"testing"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) session.Store { return New(t.TempDir(), Options{}) })
}
