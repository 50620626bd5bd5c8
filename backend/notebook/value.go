package notebook

import (
	"bytes"

	"mutsumi/backend/jsontext"
)

// The functions here walk JSON text that the scanner has already found valid. Of duplicate keys,
// reading and setting use the last one; the others stay.

// member is a key and its value, both raw.
type member struct{ key, val []byte }

// is reports whether the key is name, however it is escaped.
func (m member) is(name string) bool { return keyIs(m.key, name) }

func keyIs(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key[1:len(key)-1]) == name
	}
	return unquote(key) == name
}

// skipString returns the index after the string that starts at b[i].
func skipString(b []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the index after the value that starts at b[i].
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		for depth := 0; ; {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				return i
			}
		}
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// members calls do with the raw key and value of each member of an object,
// and where the value is in it, until do returns false.
func members(object []byte, do func(key, val []byte, at int) bool) {
	membersKnowing(object, nil, do)
}

// membersKnowing is members for an object in which the place of one value is known, a slice of the
// object itself: its end need not be searched for.
func membersKnowing(object, known []byte, do func(key, val []byte, at int) bool) {
	if !isObject(object) {
		return
	}
	i := skipSpace(object, 1)
	for object[i] == '"' {
		end := skipString(object, i)
		key := object[i:end]
		i = skipSpace(object, end)
		i = skipSpace(object, i+1) // the colon
		if len(known) > 0 && &object[i] == &known[0] {
			end = i + len(known)
		} else {
			end = skipValue(object, i)
		}
		if !do(key, object[i:end:end], i) {
			return
		}
		i = skipSpace(object, end)
		if object[i] != ',' {
			return
		}
		i = skipSpace(object, i+1)
	}
}

// elements calls do with each element of an array until it returns false.
func elements(array []byte, do func(val []byte) bool) {
	if !isArray(array) {
		return
	}
	i := skipSpace(array, 1)
	for array[i] != ']' {
		end := skipValue(array, i)
		if !do(array[i:end:end]) {
			return
		}
		i = skipSpace(array, end)
		if array[i] == ',' {
			i = skipSpace(array, i+1)
		}
	}
}

// get returns the value of name in an object, nil if there is none.
func get(object []byte, name string) []byte { return getKnowing(object, nil, name) }

// getKnowing is get for an object in which one value is known, see membersKnowing.
func getKnowing(object, known []byte, name string) []byte {
	var found []byte
	membersKnowing(object, known, func(key, val []byte, _ int) bool {
		if keyIs(key, name) {
			found = val
		}
		return true
	})
	return found
}

// set returns the text of an object, laid out at depth, with name set to val.
// A new key goes to the end. object is not changed.
func set(object []byte, depth int, name string, val []byte) []byte {
	at, end, last := -1, -1, -1
	members(object, func(key, old []byte, i int) bool {
		last = i + len(old)
		if keyIs(key, name) {
			at, end = i, last
		}
		return true
	})
	out := make([]byte, 0, len(object)+len(val)+len(name)+4*depth+16)
	if at >= 0 {
		out = append(out, object[:at]...)
		out = append(out, val...)
		return append(out, object[end:]...)
	}
	if last < 0 {
		out = append(out, '{')
	} else {
		out = append(append(out, object[:last]...), ',')
	}
	out = append(out, indents[:3+2*depth]...)
	out = append(jsontext.AppendString(out, name), ": "...)
	out = append(out, val...)
	if last < 0 {
		return append(append(out, indents[:1+2*depth]...), '}')
	}
	return append(out, object[last:]...)
}

// unset returns the text of an object, laid out at depth, without name.
func unset(object []byte, depth int, name string) []byte {
	w := newObject(depth)
	members(object, func(key, val []byte, _ int) bool {
		if !keyIs(key, name) {
			w.raw(key, val)
		}
		return true
	})
	return w.end()
}

// objectWriter writes an object in our own layout. depth is that of the object itself: its members
// are one deeper.
type objectWriter struct {
	out   []byte
	depth int
	some  bool
}

func newObject(depth int) *objectWriter { return &objectWriter{out: []byte{'{'}, depth: depth} }

// member begins a member: the caller appends its value to out.
func (w *objectWriter) member(key []byte) {
	w.begin()
	w.out = append(append(w.out, key...), ": "...)
}

// named is member with a key that is not quoted yet.
func (w *objectWriter) named(key string) {
	w.begin()
	w.out = append(jsontext.AppendString(w.out, key), ": "...)
}

func (w *objectWriter) begin() {
	if w.some {
		w.out = append(w.out, ',')
	}
	w.some = true
	w.out = append(w.out, indents[:3+2*w.depth]...)
}

func (w *objectWriter) raw(key, val []byte) {
	w.member(key)
	w.out = append(w.out, val...)
}

func (w *objectWriter) value(key string, val []byte) {
	w.named(key)
	w.out = append(w.out, val...)
}

func (w *objectWriter) text(key string, val string) {
	w.named(key)
	w.out = jsontext.AppendString(w.out, val)
}

func (w *objectWriter) object(key string, v any) { w.value(key, layout(v, w.depth+1)) }
func (w *objectWriter) optional(key string, v string) {
	if v != "" {
		w.text(key, v)
	}
}

func (w *objectWriter) end() []byte {
	if w.some {
		w.out = append(w.out, indents[:1+2*w.depth]...)
	}
	return append(w.out, '}')
}
