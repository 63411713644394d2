package settings

// What tests of this package look at, from outside: they hand in the types of
// packages that import this one.
var (
	BOM        = bom
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
