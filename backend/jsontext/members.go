package jsontext

import (
	"bytes"
	"errors"
)

var errForm = errors.New("the JSON is not of the form that is expected")

// Members calls visit with each member of an object, in order, until it returns false: the name as
// written between its quotes, and the value as written. object has to be valid JSON: only enough is
// read to find the members, which is many times faster than decoding. Anything but an object is an
// error.
func Members(object []byte, visit func(name string, value []byte) bool) error {
	_, err := each(object, space(object, 0), '{', '}', pass, visit)
	return err
}

// Elements returns the elements of a list as they are written, see Members.
func Elements(list []byte) ([][]byte, error) {
	var all [][]byte
	_, err := each(list, space(list, 0), '[', ']', pass, func(_ string, value []byte) bool {
		all = append(all, value)
		return true
	})
	return all, err
}

// Objects calls element for each element of a list, after calling member for each of its members;
// an element that is not an object has none. See Members: it reads the list once.
func Objects(list []byte, member func(name string, value []byte), element func(text []byte)) error {
	into := func(text []byte, i int) int {
		if text[i] != '{' {
			return pass(text, i)
		}
		after, err := each(text, i, '{', '}', pass, func(name string, value []byte) bool {
			member(name, value)
			return true
		})
		if err != nil {
			return i
		}
		return after
	}
	_, err := each(list, space(list, 0), '[', ']', into, func(_ string, value []byte) bool {
		element(value)
		return true
	})
	return err
}

// Outline is Members, with the elements of each member that is a list. It reads the object once.
func Outline(object []byte, visit func(name string, value []byte, elements [][]byte)) error {
	var elements [][]byte
	into := func(text []byte, i int) int {
		elements = nil
		if text[i] != '[' {
			return pass(text, i)
		}
		after, err := each(text, i, '[', ']', pass, func(_ string, element []byte) bool {
			elements = append(elements, element)
			return true
		})
		if err != nil {
			return i
		}
		return after
	}
	_, err := each(object, space(object, 0), '{', '}', into, func(name string, value []byte) bool {
		visit(name, value, elements)
		return true
	})
	return err
}

// each reads a list or an object that begins at i, until visit returns false, and returns its end.
// value returns the end of the value at a place, or the place itself if there is none.
func each(text []byte, i int, open, end byte, value func(text []byte, i int) int, visit func(name string, value []byte) bool) (after int, err error) {
	if i == len(text) || text[i] != open {
		return i, errForm
	}
	i = space(text, i+1)
	if i < len(text) && text[i] == end {
		return i + 1, nil
	}
	for i < len(text) {
		name := ""
		if open == '{' {
			after := pass(text, i)
			if after < i+2 || text[i] != '"' {
				return i, errForm
			}
			name = string(text[i+1 : after-1])
			if i = space(text, after); i == len(text) || text[i] != ':' {
				return i, errForm
			}
			if i = space(text, i+1); i == len(text) {
				return i, errForm
			}
		}
		after := value(text, i)
		if after == i {
			return i, errForm
		}
		if !visit(name, text[i:after]) {
			return after, nil
		}
		i = space(text, after)
		switch {
		case i == len(text):
			return i, errForm
		case text[i] == end:
			return i + 1, nil
		case text[i] != ',':
			return i, errForm
		}
		i = space(text, i+1)
	}
	return i, errForm
}

func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// pass returns where the value at i ends, i for none.
func pass(text []byte, i int) int {
	start, depth := i, 0
	for i < len(text) {
		switch text[i] {
		case '"':
			if i = passString(text, i); i < 0 {
				return start
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	if depth > 0 {
		return start
	}
	return i
}

// passString returns where the string at i ends, -1 if it does not.
func passString(text []byte, i int) int {
	start := i + 1
	for i = start; ; i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for k := i - 1; k >= start && text[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}
