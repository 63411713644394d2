package settings

// Internals for the external tests of this package, which use the types of
// packages that import this one.
var (
	BOM        = bom
	Edit       = edit
	ParseFile  = parseFile
	Properties = properties
	SplitKey   = splitKey
)

const MaxFile = maxFile

// Documented lists each key with its help.
func Documented() map[string]string {
	out := map[string]string{}
	for _, k := range table {
		out[k.name] = k.help
	}
	return out
}

const (
	LayerDefault = layerDefault
	LayerProject = layerProject
	LayerUser    = layerUser
)

var (
	Variable = variable
)
