// Package fingerprint keeps enough of a text to determine later whether another one is the same,
// and from which byte it differs, without the text itself: its length, its SHA-256, and a CRC-32C
// of each Chunk bytes.
//
// A client makes the fingerprint of a request, package ledger stores it.
package fingerprint

import (
	"crypto/sha256"
	"hash"
	"hash/crc32"
)

// Chunk is how exactly the place of a difference is known, in bytes.
const Chunk = 512

// Print is the fingerprint of a text.
type Print struct {
	Bytes  int64
	SHA256 [sha256.Size]byte
	Chunks []uint32 // CRC-32C of each Chunk bytes, the last of the rest; nil: not known
}

// Of returns the fingerprint of a text.
func Of(text []byte) Print {
	w := NewWriter()
	_, _ = w.Write(text) // it never fails
	return w.Print()
}

// Compare returns whether two texts are the same, and if not, where they differ: all
// bytes before from are the same, and a byte between from and from+Chunk is not, or
// one of the texts ends there. from is -1 where that is not known.
func (p Print) Compare(other Print) (same bool, from int64) {
	if p.Bytes == other.Bytes && p.SHA256 == other.SHA256 {
		return true, 0
	}
	if p.Chunks == nil && p.Bytes > 0 || other.Chunks == nil && other.Bytes > 0 {
		return false, -1
	}
	for i := range min(len(p.Chunks), len(other.Chunks)) {
		if p.Chunks[i] != other.Chunks[i] {
			return false, int64(i) * Chunk
		}
	}
	return false, min(p.Bytes, other.Bytes) / Chunk * Chunk
}

// Writer makes the fingerprint of the text written to it.
type Writer struct {
	sum    hash.Hash
	bytes  int64
	chunks []uint32
	crc    uint32 // of the chunk under way
	filled int    // bytes in it
}

// NewWriter begins a text.
func NewWriter() *Writer { return &Writer{sum: sha256.New(), chunks: []uint32{}} }

// Write implements io.Writer. It never fails.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	w.sum.Write(p)
	w.bytes += int64(n)
	for len(p) > 0 {
		part := p[:min(len(p), Chunk-w.filled)]
		w.crc = crc32.Update(w.crc, crc32.MakeTable(crc32.Castagnoli), part)
		if w.filled += len(part); w.filled == Chunk {
			w.chunks = append(w.chunks, w.crc)
			w.crc, w.filled = 0, 0
		}
		p = p[len(part):]
	}
	return n, nil
}

// Print returns the fingerprint of the written text.
func (w *Writer) Print() Print {
	chunks := w.chunks[:len(w.chunks):len(w.chunks)]
	if w.filled > 0 {
		chunks = append(chunks, w.crc)
	}
	return Print{w.bytes, [sha256.Size]byte(w.sum.Sum(nil)), chunks}
}
