module github.com/coppice-dev/coppice

go 1.26

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/google/uuid v1.6.0
	github.com/rivo/uniseg v0.4.7
)
