package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"

	"github.com/coppice-dev/coppice/message"
)

// latencyChart draws 64 by 64 pixels: the 95th percentile of a request's
// time, low until a release and high from then on.
func latencyChart() message.Image {
	white, grey, blue, red := color.RGBA{255, 255, 255, 255}, color.RGBA{200, 200, 200, 255}, color.RGBA{40, 90, 200, 255}, color.RGBA{210, 50, 40, 255}
	img := image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{white, grey, blue, red})
	for x := range 64 {
		for y := 15; y < 64; y += 16 {
			img.Set(x, y, grey)
		}
		height, ink := 10+x*7%5, blue
		if x >= 40 {
			height, ink = 38+x*11%9, red
		}
		for y := 63 - height; y < 64; y++ {
			img.Set(x, y, ink)
		}
	}
	// Uncompressed, so that the bytes do not depend on the compressor.
	var b bytes.Buffer
	must((&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img))
	return message.Image{Data: base64.StdEncoding.EncodeToString(b.Bytes()), MIMEType: "image/png"}
}
