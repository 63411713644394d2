package convert

import (
	"context"
	"strconv"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// sized adds to a compaction what only the requests before it tell: what each
// had besides its messages, and, if the agent did not say, how large the view
// was (docs/format.md).
func (k *Sink) sized(ctx context.Context, d session.Draft) (session.Draft, error) {
	unsaid := rawjson.Int(rawjson.Get(d.Body, "tokensBefore")) == 0
	if k.leaf != nil && (unsaid || k.fixed == 0) {
		if err := k.Flush(ctx); err != nil {
			return d, err
		}
		v, err := timeline.Project(ctx, k.s, k.leaf, timeline.Policy{})
		if err != nil {
			return d, err
		}
		size, err := v.Size(nil, 0)
		if err != nil {
			return d, err
		}
		if k.fixed == 0 {
			k.fixed = size.Fixed
		}
		if unsaid {
			d.Body = rawjson.Set(d.Body, "tokensBefore", strconv.AppendInt(nil, size.Decision(), 10))
		}
	}
	if k.fixed > 0 {
		preserve := []byte(rawjson.Get(d.Body, "preserveData"))
		if rawjson.Kind(preserve) != '{' {
			preserve = []byte("{}")
		}
		own := new(jsonw.Object).Int("fixed", k.fixed).Bytes()
		d.Body = rawjson.Set(d.Body, "preserveData", rawjson.Set(preserve, "coppice", own))
	}
	return d, nil
}
