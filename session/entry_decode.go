package session

import (
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// decode makes the typed views of an entry from its bytes.
func (d *views) decode(e *Entry, raw []byte) {
	if e.Type == TypeMessage {
		if m := rawjson.Get(raw, "message"); rawjson.Kind(m) == '{' {
			d.msg = codec.Decode(m)
		}
		return
	}
	f := map[string][]byte{}
	for k, v := range rawjson.Members(raw) {
		f[k] = v
	}
	str := func(k string) string { return rawjson.String(f[k]) }
	switch e.Type {
	case TypeCustomMessage:
		d.msg = &message.Message{Role: message.RoleCustom, CustomType: str("customType"),
			Content: codec.DecodeContent(f["content"]), Time: e.Time}
	case TypeBranchSummary:
		d.decodeBranch(f, e.Time)
	case TypeCompaction:
		d.decodeCompaction(f, e.Time)
	case TypeContextEdit:
		r := f["replacement"]
		ed := &ContextEdit{TargetID: str("targetId"), Omit: rawjson.Kind(r) == 'n'}
		if !ed.Omit {
			ed.Content = codec.DecodeContent(rawjson.Get(r, "content"))
		}
		d.typed = ed
	case TypeModelChange:
		d.decodeModelChange(f)
	case TypeThinkingLevel:
		level := str("thinkingLevel")
		d.typed = &level
	case TypeLabel:
		d.typed = &Label{TargetID: str("targetId"), Label: str("label")}
	case TypeInfo:
		name := str("name")
		d.typed = &name
	case TypeCustom:
		d.decodeCustom(f)
	}
}

func (d *views) decodeBranch(f map[string][]byte, at time.Time) {
	b := &BranchSummary{FromID: rawjson.String(f["fromId"]), Summary: rawjson.String(f["summary"]),
		Details: f["details"], Coppice: ours(f), Usage: codec.DecodeUsage(f["usage"]), FromHook: fromHook(f)}
	b.ReadFiles, b.ModifiedFiles = fileLists(b.Details)
	d.typed = b
	d.msg = &message.Message{Role: message.RoleBranchSummary, Summary: b.Summary, Time: at}
}

func (d *views) decodeCompaction(f map[string][]byte, at time.Time) {
	c := &Compaction{Summary: rawjson.String(f["summary"]), ShortSummary: rawjson.String(f["shortSummary"]),
		FirstKeptEntryID: rawjson.String(f["firstKeptEntryId"]), TokensBefore: rawjson.Int(f["tokensBefore"]),
		Details: f["details"], PreserveData: object(f["preserveData"]),
		Usage: codec.DecodeUsage(f["usage"]), FromHook: fromHook(f)}
	c.ReadFiles, c.ModifiedFiles = fileLists(c.Details)
	if sys := object(f["systemMessage"]); sys != nil {
		c.System = codec.Decode(sys)
	}
	if own := ours(f); own != nil {
		c.Coppice = decodeDetails(own)
	}
	d.typed = c
	d.msg = &message.Message{Role: message.RoleCompactionSummary, Summary: c.Summary, Time: at}
}

// ours returns the details that Coppice wrote. They are in a field of the entry if
// details are not an object, so that they cannot be next to those of others.
func ours(f map[string][]byte) []byte {
	if own := object(f["coppice"]); own != nil {
		return own
	}
	return object(rawjson.Get(f["details"], "coppice"))
}

func decodeDetails(raw []byte) *CompactionDetails {
	d := &CompactionDetails{}
	for k, v := range rawjson.Members(raw) {
		switch k {
		case "model":
			if rawjson.Kind(v) == '{' {
				d.Model = &ModelChange{Provider: rawjson.String(rawjson.Get(v, "provider")), ModelID: rawjson.String(rawjson.Get(v, "id"))}
			}
		case "thinkingLevel":
			d.ThinkingLevel = rawjson.String(v)
		case "thinkingOff":
			d.ThinkingOff = rawjson.Bool(v)
		case "pins":
			d.Pins = decodeRefs(v)
		case "request":
			d.Request = decodeRefs(v)
		case "open":
			d.Open = decodeRefs(v)
		case "edits":
			d.Edits = stringsOf(v)
		case "fixed":
			d.Fixed = rawjson.Int(v)
		case "rung":
			d.Rung = rawjson.String(v)
		case "coverage":
			d.Coverage = v
		case "state":
			d.State = v
		}
	}
	return d
}

func decodeRefs(raw []byte) []Ref {
	var refs []Ref
	for v := range rawjson.Elements(raw) {
		refs = append(refs, decodeRef(v))
	}
	return refs
}

func decodeRef(v []byte) Ref {
	r := Ref{At: -1}
	for k, v := range rawjson.Members(v) {
		switch k {
		case "id":
			r.ID = rawjson.String(v)
		case "at":
			if rawjson.Kind(v) == '0' {
				r.At = rawjson.Int(v)
			}
		case "edit":
			if rawjson.Kind(v) == '{' {
				e := decodeRef(v)
				r.Edit = &e
			}
		case "group":
			r.Group = decodeRefs(v)
		}
	}
	return r
}

func (d *views) decodeModelChange(f map[string][]byte) {
	m := &ModelChange{Provider: rawjson.String(f["provider"]), ModelID: rawjson.String(f["modelId"])}
	if s := rawjson.String(f["model"]); m.ModelID == "" && s != "" {
		// oh-my-pi: model "provider/id", with a role that is not always ours
		if role := rawjson.String(f["role"]); role != "" && role != "default" {
			return
		}
		m.Provider, m.ModelID = cutModel(s)
	}
	d.typed = m
}

func cutModel(s string) (provider, id string) {
	for i := range len(s) {
		if s[i] == '/' {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}

func (d *views) decodeCustom(f map[string][]byte) {
	c := &Custom{CustomType: rawjson.String(f["customType"]), Data: f["data"]}
	d.typed = c
	switch c.CustomType {
	case kinds.CustomPin:
		c.pin = &Pin{TargetID: rawjson.String(rawjson.Get(c.Data, "targetId")),
			Pinned: rawjson.Bool(rawjson.Get(c.Data, "pinned")), Group: decodeRefs(rawjson.Get(c.Data, "group"))}
	case kinds.CustomUncompact:
		c.undoes = rawjson.String(rawjson.Get(c.Data, "compactionId"))
	}
}

// fromHook reads both spellings of the flag.
func fromHook(f map[string][]byte) bool {
	return rawjson.Bool(f["fromHook"]) || rawjson.Bool(f["fromExtension"])
}

func fileLists(details []byte) (read, modified []string) {
	return stringsOf(rawjson.Get(details, "readFiles")), stringsOf(rawjson.Get(details, "modifiedFiles"))
}

func stringsOf(arr []byte) []string {
	var out []string
	for v := range rawjson.Elements(arr) {
		if rawjson.Kind(v) == '"' {
			out = append(out, rawjson.String(v))
		}
	}
	return out
}

// object returns v if it is an object, else nil.
func object(v []byte) []byte {
	if rawjson.Kind(v) == '{' {
		return v
	}
	return nil
}
