package fingerprint_test

import (
	"bytes"
	"reflect"
	"testing"

	"mutsumi/backend/fingerprint"
)

func TestCompare(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 500)
	with := func(change func([]byte) []byte) fingerprint.Print { return fingerprint.Of(change(bytes.Clone(text))) }
	is := fingerprint.Of(text)
	for _, c := range []struct {
		name  string
		other fingerprint.Print
		same  bool
		from  int64
	}{
		{"the same", fingerprint.Of(text), true, 0},
		{"the first byte", with(func(b []byte) []byte { b[0]++; return b }), false, 0},
		{"a byte in the middle", with(func(b []byte) []byte { b[2000]++; return b }), false, 1536},
		{"the last byte", with(func(b []byte) []byte { b[4999]++; return b }), false, 4608},
		{"one byte less", with(func(b []byte) []byte { return b[:4999] }), false, 4608},
		{"one byte more", with(func(b []byte) []byte { return append(b, 'x') }), false, 4608},
		{"a whole chunk less", with(func(b []byte) []byte { return b[:4608] }), false, 4608},
		{"nothing", fingerprint.Of(nil), false, 0},
		{"no chunks", fingerprint.Print{Bytes: 5000}, false, -1},
	} {
		for _, swapped := range []bool{false, true} {
			a, b := is, c.other
			if swapped {
				a, b = b, a
			}
			if same, from := a.Compare(b); same != c.same || from != c.from {
				t.Errorf("%s: %v, from %d", c.name, same, from)
			}
		}
	}
	if same, _ := fingerprint.Of(nil).Compare(fingerprint.Of(nil)); !same {
		t.Error("two empty texts differ")
	}
}

func TestPiecesMakeNoDifference(t *testing.T) {
	text := bytes.Repeat([]byte("abc"), 1000)
	for _, size := range []int{1, 7, 511, 512, 513, 3000} {
		w := fingerprint.NewWriter()
		for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			w.Write(rest[:min(size, len(rest))])
		}
		if got := w.Print(); !reflect.DeepEqual(got, fingerprint.Of(text)) {
			t.Errorf("in pieces of %d: %+v", size, got)
		}
	}
}
