package media

import (
	"encoding/binary"
	"slices"
)

// reader reads len(p) bytes of a file, at most 64, at an offset. It reports false
// if there are fewer.
type reader func(off int64, p []byte) bool

// format is a type of file: how it begins and how its size is found.
type format struct {
	mime, name string
	begins     []string // one of these patterns matches; '?' is any byte
	size       func(at reader, i *Info)
}

// The MIME types that vendors take, by their name in Info.Type.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	HEIC = "image/heic"
	HEIF = "image/heif"
	PDF  = "application/pdf"
)

var formats = []format{
	{PNG, "PNG", []string{"\x89PNG\r\n\x1a\n"}, sizePNG},
	{JPEG, "JPEG", []string{"\xff\xd8\xff"}, sizeJPEG},
	{GIF, "GIF", []string{"GIF87a", "GIF89a"}, sizeGIF},
	{WebP, "WebP", []string{"RIFF????WEBP"}, sizeWebP},
	{HEIC, "HEIC", []string{"????ftypheic", "????ftypheix", "????ftyphevc"}, nil},
	{HEIF, "HEIF", []string{"????ftypmif1", "????ftypmsf1", "????ftypheif"}, nil},
	{"image/avif", "AVIF", []string{"????ftypavif", "????ftypavis"}, nil},
	{"image/bmp", "BMP", []string{"BM????\x00\x00\x00\x00"}, nil},
	{"image/tiff", "TIFF", []string{"II*\x00", "MM\x00*"}, nil},
	{PDF, "PDF", []string{"%PDF-"}, nil},
}

// begins reports whether head starts with a pattern.
func begins(head []byte, pattern string) bool {
	if len(head) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] != '?' && pattern[i] != head[i] {
			return false
		}
	}
	return true
}

func formatOf(mime string) *format {
	for i := range formats {
		if formats[i].mime == mime {
			return &formats[i]
		}
	}
	return nil
}

// Inspect reads the header of a file of n bytes.
func Inspect(n int64, at func(off int64, p []byte) bool) Info {
	info := Info{Bytes: n}
	var head [16]byte
	read := min(n, int64(len(head)))
	if !at(0, head[:read]) {
		return info
	}
	for _, f := range formats {
		if !slices.ContainsFunc(f.begins, func(pattern string) bool { return begins(head[:read], pattern) }) {
			continue
		}
		info.Type = f.mime
		if f.size != nil {
			f.size(at, &info)
		}
		if info.Width <= 0 || info.Height <= 0 {
			info.Width, info.Height = 0, 0
		}
		break
	}
	return info
}

// sizePNG reads IHDR, which is the first chunk.
func sizePNG(at reader, i *Info) {
	var h [17]byte
	if !at(8, h[:]) || string(h[4:8]) != "IHDR" {
		return
	}
	w, l := binary.BigEndian.Uint32(h[8:]), binary.BigEndian.Uint32(h[12:])
	if w > 1<<31-1 || l > 1<<31-1 {
		return
	}
	i.Width, i.Height = int(w), int(l)
	i.memory = 4
	if h[16] == 16 { // bits of a channel
		i.memory = 8
	}
}

func sizeGIF(at reader, i *Info) {
	var h [4]byte
	if at(6, h[:]) {
		i.Width, i.Height = int(binary.LittleEndian.Uint16(h[:])), int(binary.LittleEndian.Uint16(h[2:]))
		i.memory = 1
	}
}

// maxSegments is how many parts of a JPEG are skipped in search of its size. Real
// files have a few dozen before it, thumbnails and colour profiles included.
const maxSegments = 2000

// sizeJPEG finds the start of the frame.
func sizeJPEG(at reader, i *Info) {
	off := int64(2)
	for range maxSegments {
		var h [9]byte
		if !at(off, h[:2]) || h[0] != 0xff {
			return
		}
		marker := h[1]
		switch {
		case marker == 0xff: // filling
			off++
			continue
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7: // without a body
			off += 2
			continue
		case marker == 0xd9 || marker == 0xda || !at(off, h[:4]): // the picture begins or ends
			return
		}
		if frame := marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc; frame {
			if at(off, h[:]) {
				i.Height, i.Width = int(binary.BigEndian.Uint16(h[5:])), int(binary.BigEndian.Uint16(h[7:]))
				i.memory = 3
				if marker == 0xc2 { // progressive: all coefficients are held
					i.memory = 15
				}
			}
			return
		}
		off += 2 + int64(binary.BigEndian.Uint16(h[2:]))
	}
}

// sizeWebP reads the first chunk, which is one of three.
func sizeWebP(at reader, i *Info) {
	var h [18]byte
	if !at(12, h[:5]) {
		return
	}
	chunk := string(h[:4])
	i.memory = 8
	switch {
	case chunk == "VP8 " && at(12, h[:]) && h[11] == 0x9d && h[12] == 0x01 && h[13] == 0x2a:
		i.Width, i.Height = int(binary.LittleEndian.Uint16(h[14:])&0x3fff), int(binary.LittleEndian.Uint16(h[16:])&0x3fff)
	case chunk == "VP8L" && at(12, h[:13]) && h[8] == 0x2f:
		bits := binary.LittleEndian.Uint32(h[9:])
		i.Width, i.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case chunk == "VP8X" && at(12, h[:]):
		i.Width = int(uint32(h[12])|uint32(h[13])<<8|uint32(h[14])<<16) + 1
		i.Height = int(uint32(h[15])|uint32(h[16])<<8|uint32(h[17])<<16) + 1
	}
}
