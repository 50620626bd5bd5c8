package pdf

import (
	"bytes"
	"compress/flate"
	"io"
)

// compressed reads the objects of a compressed stream of them.
func (r *reader) compressed(packed []byte, d dict) {
	if r.encrypted || d.odd || d.n < 0 || d.first < 0 {
		r.lost = r.lost || d.odd
		return
	}
	text := packed
	if d.flate {
		text = r.inflate(packed)
	}
	if d.first > len(text) {
		return
	}
	*r.steps += stepsPerByte * len(text)
	head := &lexer{b: text[:d.first], steps: r.steps}
	for range d.n {
		t, number := head.next()
		u, at := head.next()
		if t != aNumber || u != aNumber {
			return
		}
		offset := whole(at)
		if offset < 0 || offset > len(text)-d.first {
			continue
		}
		l := &lexer{b: text, i: d.first + offset, steps: r.steps}
		if inner, ok := r.value(l); ok {
			if n := objectNumber(number); n != 0 {
				r.put(n, inner)
			}
		}
	}
}

// inflate unpacks as much as allowed. Damaged data is unpacked up to the damage.
func (r *reader) inflate(packed []byte) []byte {
	if len(packed) < 2 {
		return nil
	}
	left := maxInflated - r.inflated
	if left <= 0 {
		r.lost = true
		return nil
	}
	var out bytes.Buffer
	// The two bytes of the zlib header and the checksum at the end do not matter.
	n, _ := io.Copy(&out, io.LimitReader(flate.NewReader(bytes.NewReader(packed[2:])), int64(left)+1))
	r.inflated += int(n)
	if n > int64(left) {
		r.lost = true
		return out.Bytes()[:left]
	}
	return out.Bytes()
}
