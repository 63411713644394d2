package carry

import (
	"errors"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/jsondoc"
)

// Document walks the parts of a session that is one JSON document, in which
// begun reports whether a message has been read. If the document is cut off or
// broken it takes the whole messages before and after the damage, and counts
// what is skipped.
func Document(src convert.Source, to *convert.Sink, e jsondoc.Elements, read func(jsondoc.Part) error, begun func() bool) error {
	f, err := src.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	for p, err := range jsondoc.Salvage(f, e) {
		var broken *jsondoc.BrokenError
		if errors.As(err, &broken) && begun() {
			to.SkipBytes("damaged end of the file", src.Size-broken.Offset)
			return nil
		}
		if p.Lost > 0 {
			to.SkipBytes("damaged part of the file", p.Lost)
			continue
		}
		if err != nil {
			return NotOurs(err)
		}
		if err := read(p); err != nil {
			return err
		}
		to.Read(p.Offset)
	}
	return nil
}
