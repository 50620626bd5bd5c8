package unzeroed_test

import (
	"bytes"
	"runtime"
	"testing"

	"mutsumi/backend/unzeroed"
)

func TestBytes(t *testing.T) {
	for _, n := range []int{0, 1, 100, 5 << 20} {
		b := unzeroed.Bytes(n)
		if len(b) != 0 || cap(b) < n {
			t.Fatalf("%d bytes, room for %d of %d", len(b), cap(b), n)
		}
		want := bytes.Repeat([]byte{7}, n)
		first := append(b, want...)
		if n > 0 && &first[0] != &b[:1][0] {
			t.Errorf("%d bytes have no room", n)
		}
		runtime.GC()
		if other := unzeroed.Bytes(n); n > 0 && &other[:1][0] == &first[0] || !bytes.Equal(first, want) {
			t.Errorf("the memory of %d bytes is used twice", n)
		}
	}
}

func BenchmarkBytes(b *testing.B) {
	const n = 8 << 20
	text := bytes.Repeat([]byte("text"), n/4)
	b.Run("unzeroed", func(b *testing.B) {
		for b.Loop() {
			_ = append(unzeroed.Bytes(n), text...)
		}
	})
	b.Run("zeroed", func(b *testing.B) {
		for b.Loop() {
			_ = append(make([]byte, 0, n), text...)
		}
	})
}
