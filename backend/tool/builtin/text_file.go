package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

// editLimit is the largest file that is edited or written, in bytes.
const editLimit = 8 << 20

// textFile is a file being edited: text with LF only, and the original bytes, so that untouched
// parts stay byte for byte the same.
type textFile struct {
	raw  []byte
	text string
	bom  int   // bytes at the start of raw that are not in text
	crs  []int // offsets in text of line breaks that are CRLF in raw
	crlf bool  // most line breaks are CRLF: new ones will be
}

var bom = []byte("\xEF\xBB\xBF")

// openText splits a file into text and line ends. A file that is not UTF-8 cannot be edited without
// other changes.
func openText(name string, raw []byte) (*textFile, error) {
	f := &textFile{raw: raw}
	if bytes.HasPrefix(raw, bom) {
		f.bom = len(bom)
	}
	body := raw[f.bom:]
	if bytes.IndexByte(body, 0) >= 0 {
		return nil, fmt.Errorf("%s is a binary file or UTF-16: it cannot be edited as text", name)
	}
	if !utf8.Valid(body) {
		return nil, fmt.Errorf("%s is not UTF-8 text: it cannot be edited without changing other parts of it", name)
	}
	var b strings.Builder
	b.Grow(len(body))
	plain := 0
	for len(body) > 0 {
		i := bytes.IndexByte(body, '\n')
		switch {
		case i < 0:
			b.Write(body)
			body = nil
			continue
		case i > 0 && body[i-1] == '\r':
			b.Write(body[:i-1])
			f.crs = append(f.crs, b.Len())
		default:
			plain++
			b.Write(body[:i])
		}
		b.WriteByte('\n')
		body = body[i+1:]
	}
	f.text = b.String()
	f.crlf = len(f.crs) > plain
	return f, nil
}

// rawOffset is the place in raw of an offset in text, which is never between the two bytes of a
// CRLF: it is before both.
func (f *textFile) rawOffset(at int) int {
	return f.bom + at + sort.SearchInts(f.crs, at)
}

// ends gives text the line ends of the file.
func (f *textFile) ends(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// replace puts text in place of ranges, given as offsets in f.text in
// ascending order, and returns the new bytes.
func (f *textFile) replace(ranges [][2]int, text string) []byte {
	text = f.ends(text)
	var b bytes.Buffer
	at := 0
	for _, s := range ranges {
		b.Write(f.raw[at:f.rawOffset(s[0])])
		b.WriteString(text)
		at = f.rawOffset(s[1])
	}
	b.Write(f.raw[at:])
	return b.Bytes()
}

// peek returns options that remember nothing: the agent has not seen what a preview for the person
// finds.
func (o Options) peek() Options {
	o.peeking = true
	return o
}

// current reads a file that is about to be changed, and refuses if it differs from what the agent
// knows; afresh accepts it as it is. A missing file gives nil.
func (o Options) current(name string, mustKnow, afresh bool) ([]byte, error) {
	raw, err := o.Roots.ReadBytes(name, editLimit)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	path, err := o.Roots.Path(name)
	if err != nil {
		return nil, err
	}
	known, same, before := o.Seen.check(path, raw)
	switch {
	case same || afresh || !known && !mustKnow:
		return raw, nil
	case !known:
		return nil, fmt.Errorf("%s exists (%s) and you have not read it: read it first, then change what is needed with edit_file", name, files.Size(int64(len(raw))))
	}
	if !o.peeking {
		o.Seen.note(path, raw, true) // the diff shows the agent the present content
	}
	why := fmt.Sprintf("%s changed on disk since you read it: nothing was written.", name)
	if before == nil || !utf8.Valid(raw) {
		return nil, errors.New(why + " Read it again.")
	}
	return nil, fmt.Errorf("%s What changed:\n%s\nCheck that your change still fits, then repeat it", why, unified(string(before), string(raw), 200))
}

// changedSince describes for the model what has changed in a file since it was read; "" for
// nothing.
func (o Options) changedSince(name string, now []byte) string {
	path, err := o.Roots.Path(name)
	if err != nil {
		return ""
	}
	known, same, before := o.Seen.check(path, now)
	if !known || same {
		return ""
	}
	said := "\nThe file had changed since you read it. The person saw that and approved your edit of it as it is now."
	if before == nil || !utf8.Valid(now) {
		return said + " Read it again."
	}
	return said + " What had changed:\n" + unified(string(before), string(now), 200)
}

// notApproved is the result of a change that differs from what the person saw.
func notApproved(name string) tool.Result {
	return tool.Error(name + " changed while your change of it was approved: nothing was written. Read it again, check that the change still fits, then repeat it.")
}

// save writes a file and remembers it as known.
func (o Options) save(name string, raw []byte) error {
	if len(raw) > editLimit {
		return fmt.Errorf("%s would have %s; at most %s can be written at once", name, files.Size(int64(len(raw))), files.Size(editLimit))
	}
	if err := o.Roots.Write(name, raw); err != nil {
		return err
	}
	if path, err := o.Roots.Path(name); err == nil {
		o.Seen.note(path, raw, false)
	}
	return nil
}
