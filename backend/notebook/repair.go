package notebook

import (
	"bytes"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/lenientjson"
)

// Repaired reports what a repair kept and lost.
type Repaired struct {
	Messages  int // that were read whole
	Mended    int // damaged messages whose readable part was kept
	LostBytes int // of the file that made no sense
}

// Repair reads a damaged file. Every valid message is kept as it is; of a damaged one the readable
// part is kept, with its texts closed where they broke off. The error, a fault of kind Invalid,
// means that nothing was readable.
func Repair(data []byte) (*Document, Repaired, error) {
	data = bytes.ToValidUTF8(bytes.TrimPrefix(data, byteOrderMark), []byte("\uFFFD"))
	if d, err := Parse(data); err == nil {
		n := 0
		for _, c := range d.cells.list {
			n += len(c.answer)
			if c.prompt != nil {
				n++
			}
		}
		return d, Repaired{Messages: n}, nil
	}
	r := repairer{data: data, budget: 4 * len(data)}
	from := r.context()
	meta := r.metadata(from)
	if from == len(data) && meta == nil { // an older program's bare list, or a fragment
		from = 0
	}
	messages := r.messages(from)
	if len(messages) == 0 && meta == nil {
		return nil, Repaired{}, fault.New(fault.Invalid, "nothing in this file can be read as a notebook")
	}
	if meta == nil {
		meta = (&metadata{members: New(uuid.NewString(), "Repaired notebook", "", nil, time.Now()).meta.members}).text()
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"metadata\": %s,\n  \"context\": %s\n}", meta, contextText(messages))
	d, err := Parse(b.Bytes())
	if err != nil {
		return nil, Repaired{}, fmt.Errorf("read what was repaired: %w", err)
	}
	d.rev++
	return d, r.done, nil
}

// SaveRepaired writes the readable parts of a damaged file next to it, never over it, and returns
// the new file: `plan (repaired 2026-11-21 10.15).mtm`.
func SaveRepaired(path string, at time.Time) (string, Repaired, error) {
	data, _, err := read(path)
	if err != nil {
		return "", Repaired{}, fmt.Errorf("repair %s: %w", filepath.Base(path), diskFault(err))
	}
	d, done, err := Repair(data)
	if err != nil {
		return "", Repaired{}, fmt.Errorf("repair %s: %w", filepath.Base(path), err)
	}
	aside, _, err := SaveAside(path, "repaired", at, d.Encoded())
	return aside, done, err
}

type repairer struct {
	data   []byte
	budget int // how many bytes strict reading may still skip: damage could make it quadratic
	done   Repaired
}

var (
	contextStart  = lazyregexp.New(`"context"\s*:\s*\[`)
	metadataStart = lazyregexp.New(`"metadata"\s*:\s*\{`)
)

// context returns where messages may begin: after the last `"context": [` that
// is before the first message outside of the metadata, or else at the
// first thing that looks like a message.
func (r *repairer) context() int {
	from := 0
	if p := (&parser{scanner: scanner{b: r.data}}); bytes.HasPrefix(r.data, []byte("{")) {
		p.object(func(key []byte) bool { // as far as the file is intact
			if keyIs(key, "context") {
				return false
			}
			ok := p.value()
			if ok {
				from = p.i
			}
			return ok
		})
	}
	if at := contextStart.FindIndex(r.data[from:]); at != nil {
		return from + at[1]
	}
	if at := messageStart.FindIndex(r.data[from:]); at != nil {
		return from + at[0]
	}
	return len(r.data)
}

// metadata returns the text of the metadata, nil if there are none. Messages have "metadata" too:
// after the first message only an object with a uuid qualifies.
func (r *repairer) metadata(context int) []byte {
	for _, at := range metadataStart.FindAllIndex(r.data, -1) {
		start := at[1] - 1
		s := scanner{b: r.data[start:], depth: metaDepth}
		sound := r.budget > 0 && s.object(nil)
		r.budget -= s.i
		switch {
		case sound && (start < context || isString(get(s.b[:s.i], "uuid"))):
			return normalise(nil, s.b[:s.i], metaDepth)
		case !sound && start < context:
			return normalise(nil, lenientjson.Value(r.data[start:context]), metaDepth)
		}
	}
	return nil
}

func (r *repairer) messages(from int) []*message {
	var list []*message
	for pos := from; ; {
		start := pos
		for start < len(r.data) && (r.data[start] <= ' ' || r.data[start] == ',') {
			start++
		}
		raw, ok := r.whole(start)
		if !ok {
			at := messageStart.FindIndex(r.data[pos:])
			if at == nil {
				r.lose(r.data[pos:])
				return list
			}
			r.lose(r.data[pos : pos+at[0]])
			start = pos + at[0]
			raw, ok = r.whole(start)
		}
		if ok {
			list = append(list, newMessage(normalise(nil, raw, messageDepth)))
			r.done.Messages++
			pos = start + len(raw)
			continue
		}
		end := len(r.data)
		if next := messageStart.FindIndex(r.data[start+1:]); next != nil {
			end = start + 1 + next[0]
		}
		if raw := normalise(nil, lenientjson.Value(r.data[start:end]), messageDepth); isString(get(raw, "role")) {
			list = append(list, newMessage(raw))
			r.done.Mended++
		} else {
			r.lose(r.data[start:end])
		}
		pos = end
	}
}

// whole reads a message that is sound.
func (r *repairer) whole(start int) ([]byte, bool) {
	if r.budget <= 0 || start >= len(r.data) || r.data[start] != '{' {
		return nil, false
	}
	s := scanner{b: r.data[start:], depth: messageDepth}
	ok := s.object(nil)
	r.budget -= s.i
	return s.b[:s.i], ok && isString(get(s.b[:s.i], "role"))
}

// lose counts bytes that are neither layout nor brackets.
func (r *repairer) lose(b []byte) {
	for _, c := range b {
		switch c {
		case ' ', '\n', '\r', '\t', ',', '[', ']', '{', '}':
		default:
			r.done.LostBytes++
		}
	}
}
