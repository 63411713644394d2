package session

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// decode makes the typed views of an entry from its bytes.
func (e *Entry) decode() {
	if e.Type == TypeMessage {
		if m := rawjson.Get(e.raw, "message"); rawjson.Kind(m) == '{' {
			e.views.msg = message.Decode(m)
		}
		return
	}
	f := map[string][]byte{}
	for k, v := range rawjson.Members(e.raw) {
		f[k] = v
	}
	str := func(k string) string { return rawjson.String(f[k]) }
	switch e.Type {
	case TypeCustomMessage:
		e.views.msg = &message.Message{Role: message.RoleCustom, CustomType: str("customType"),
			Content: message.DecodeContent(f["content"]), Time: e.Time}
	case TypeBranchSummary:
		e.decodeBranch(f)
	case TypeCompaction:
		e.decodeCompaction(f)
	case TypeContextEdit:
		r := f["replacement"]
		ed := &ContextEdit{TargetID: str("targetId"), Omit: rawjson.Kind(r) == 'n'}
		if !ed.Omit {
			ed.Content = message.DecodeContent(rawjson.Get(r, "content"))
		}
		e.views.typed = ed
	case TypeModelChange:
		e.decodeModelChange(f)
	case TypeThinkingLevel:
		level := str("thinkingLevel")
		e.views.typed = &level
	case TypeLabel:
		e.views.typed = &Label{TargetID: str("targetId"), Label: str("label")}
	case TypeInfo:
		name := str("name")
		e.views.typed = &name
	case TypeCustom:
		e.decodeCustom(f)
	}
}

func (e *Entry) decodeBranch(f map[string][]byte) {
	b := &BranchSummary{FromID: rawjson.String(f["fromId"]), Summary: rawjson.String(f["summary"]),
		Details: object(f["details"]), Usage: message.DecodeUsage(f["usage"]), FromHook: fromHook(f)}
	b.ReadFiles, b.ModifiedFiles = fileLists(b.Details)
	e.views.typed = b
	e.views.msg = &message.Message{Role: message.RoleBranchSummary, Summary: b.Summary, Time: e.Time}
}

func (e *Entry) decodeCompaction(f map[string][]byte) {
	c := &Compaction{Summary: rawjson.String(f["summary"]), ShortSummary: rawjson.String(f["shortSummary"]),
		FirstKeptEntryID: rawjson.String(f["firstKeptEntryId"]), TokensBefore: rawjson.Int(f["tokensBefore"]),
		Details: object(f["details"]), PreserveData: object(f["preserveData"]),
		Usage: message.DecodeUsage(f["usage"]), FromHook: fromHook(f)}
	c.ReadFiles, c.ModifiedFiles = fileLists(c.Details)
	if sys := object(f["systemMessage"]); sys != nil {
		c.System = message.Decode(sys)
	}
	if d := object(rawjson.Get(c.Details, "coppice")); d != nil {
		c.Coppice = decodeDetails(d)
	}
	e.views.typed = c
	e.views.msg = &message.Message{Role: message.RoleCompactionSummary, Summary: c.Summary, Time: e.Time}
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
		case "pins":
			d.Pins = decodeRefs(v)
		case "request":
			d.Request = decodeRefs(v)
		case "open":
			d.Open = decodeRefs(v)
		case "edits":
			d.Edits = stringsOf(v)
		case "rung":
			d.Rung = rawjson.String(v)
		case "coverage":
			d.Coverage = v
		case "ledger":
			d.Ledger = v
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

func (e *Entry) decodeModelChange(f map[string][]byte) {
	m := &ModelChange{Provider: rawjson.String(f["provider"]), ModelID: rawjson.String(f["modelId"])}
	if s := rawjson.String(f["model"]); m.ModelID == "" && s != "" {
		// oh-my-pi: model "provider/id", with a role that is not always ours
		if role := rawjson.String(f["role"]); role != "" && role != "default" {
			return
		}
		m.Provider, m.ModelID = cutModel(s)
	}
	e.views.typed = m
}

func cutModel(s string) (provider, id string) {
	for i := range len(s) {
		if s[i] == '/' {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}

func (e *Entry) decodeCustom(f map[string][]byte) {
	c := &Custom{CustomType: rawjson.String(f["customType"]), Data: f["data"]}
	e.views.typed = c
	switch c.CustomType {
	case CustomPin:
		c.pin = &Pin{TargetID: rawjson.String(rawjson.Get(c.Data, "targetId")),
			Pinned: rawjson.Bool(rawjson.Get(c.Data, "pinned")), Group: decodeRefs(rawjson.Get(c.Data, "group"))}
	case CustomUncompact:
		c.undoes = rawjson.String(rawjson.Get(c.Data, "compactionId"))
	}
}

// fromHook reads both spellings of the flag (design: rulings).
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
