package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf16"

	"mutsumi/backend/fault"

	asmutf8 "github.com/segmentio/asm/utf8"
)

// TextLimit is the largest file that a reference reads, in bytes (SPEC 3.6).
const TextLimit = 2 << 20

// scanLimit is how many bytes of a file are scanned for a range of lines.
const scanLimit = 256 << 20

// Open opens a regular file or a folder for reading. It never waits: FIFOs,
// sockets and devices are Denied. A link that is swapped between the check
// and the opening cannot lead out of the set. The caller closes the file.
func (r *Roots) Open(path string) (*os.File, error) {
	where, rel, err := r.locate(path)
	if err != nil {
		return nil, err
	}
	return where.open(rel, path)
}

func (r root) open(rel, path string) (*os.File, error) {
	dir, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	defer dir.Close()
	// Before the opening, because opening a device can act on it.
	info, err := dir.Stat(rel)
	if err != nil {
		return nil, escapeError(path, err)
	}
	if err := plain(info, path); err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, escapeError(path, err)
	}
	if _, err := opened(f, path); err != nil {
		return nil, err
	}
	return f, nil
}

// opened checks a file after it was opened, because it may have been swapped. It closes a file that
// may not be read.
func opened(f *os.File, path string) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil {
		err = plain(info, path)
	}
	if err == nil && fromKernel(f) {
		err = fault.New(fault.Denied, "%s is not a file on a disk but part of the running system", path)
	}
	if err != nil {
		f.Close()
	}
	return info, err
}

// escapeError distinguishes an attempt to leave a root from an ordinary failure.
func escapeError(path string, err error) error {
	if strings.Contains(err.Error(), "escapes") {
		return fault.New(fault.Denied, "%s leads out of the folders that this notebook allows", path)
	}
	return pathError("open", path, err)
}

func plain(info fs.FileInfo, path string) error {
	switch mode := info.Mode(); {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeNamedPipe != 0:
		return fault.New(fault.Denied, "%s is a pipe, not a file: reading it could wait for ever", path)
	case mode&fs.ModeSocket != 0:
		return fault.New(fault.Denied, "%s is a socket, not a file", path)
	}
	return fault.New(fault.Denied, "%s is a device, not a file", path)
}

// Stat describes the file at a path, with links followed.
func (r *Roots) Stat(path string) (fs.FileInfo, error) {
	where, rel, err := r.locate(path)
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(where.dir)
	if err != nil {
		return nil, pathError("read", path, err)
	}
	defer dir.Close()
	info, err := dir.Stat(rel)
	if err != nil {
		return nil, escapeError(path, err)
	}
	return info, nil
}

// ReadBytes returns the content of a file of any kind, at most limit bytes long.
// A longer one, and a folder, is Invalid.
func (r *Roots) ReadBytes(path string, limit int64) ([]byte, error) {
	f, err := r.openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var buf bytes.Buffer
	if info, err := f.Stat(); err == nil {
		if info.Size() > limit {
			return nil, tooLarge(path, info.Size(), limit)
		}
		buf.Grow(int(info.Size()) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, pathError("read", path, err)
	}
	if n > limit {
		return nil, tooLarge(path, n, limit)
	}
	return buf.Bytes(), nil
}

// Read returns the text of a file of at most limit bytes: without a byte order
// mark, UTF-16 decoded, bytes that are not UTF-8 replaced by U+FFFD. A binary
// file is Invalid.
func (r *Roots) Read(path string, limit int64) (string, error) {
	b, err := r.ReadBytes(path, limit)
	if err != nil {
		return "", err
	}
	text, ok := Text(b)
	if !ok {
		return "", NotText(path, b)
	}
	return text, nil
}

// ReadRange returns the lines from first to last of a text file: 1-based, both included, joined by
// "\n" whatever the file's line ends (SPEC 3.1). A first below 1 counts as 1 and a last past the
// end as the end; a range wholly past the end is "". The file may be larger than limit, the lines
// may not. A last before the first is Invalid.
func (r *Roots) ReadRange(path string, first, last int, limit int64) (string, error) {
	if last < first {
		return "", fault.New(fault.Invalid, "%s: lines %d to %d are not a range: the first comes after the last", path, first, last)
	}
	f, err := r.openFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", pathError("read", path, err)
	}
	head = head[:n]
	if utf16BOM(head) { // rare and hard to cut: read whole
		text, err := r.Read(path, limit)
		if err != nil {
			return "", err
		}
		return lines(bufio.NewReader(strings.NewReader(text)), path, first, last, limit)
	}
	if looksBinary(head) {
		return "", NotText(path, head)
	}
	head = bytes.TrimPrefix(head, utf8BOM)
	src := io.MultiReader(bytes.NewReader(head), io.LimitReader(f, scanLimit))
	text, err := lines(bufio.NewReaderSize(src, 64<<10), path, first, last, limit)
	if err != nil {
		return "", err
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

// lines cuts a range out of src, reading no further than it must.
func lines(src *bufio.Reader, path string, first, last int, limit int64) (string, error) {
	first = max(first, 1)
	var b []byte
	for n := 1; n <= last; {
		chunk, err := src.ReadSlice('\n')
		ended := err == nil
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return "", pathError("read", path, err)
		}
		if n >= first {
			b = append(b, chunk...)
			if int64(len(b)) > limit {
				return "", fault.New(fault.Invalid, "%s: lines %d to %d are larger than %s: ask for fewer", path, first, last, Size(limit))
			}
			if end := len(b) - 2; ended && end >= 0 && b[end] == '\r' {
				b[end] = '\n'
				b = b[:end+1]
			}
		}
		if errors.Is(err, io.EOF) {
			return string(b), nil
		}
		if ended {
			n++
		}
	}
	return string(bytes.TrimSuffix(b, []byte("\n"))), nil
}

func (r *Roots) openFile(path string) (*os.File, error) {
	f, err := r.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, pathError("read", path, err)
	}
	if info.IsDir() {
		f.Close()
		return nil, fault.New(fault.Invalid, "%s is a folder, not a file", path)
	}
	return f, nil
}

const sniffLen = 8000 // as git does

var utf8BOM = []byte("\xEF\xBB\xBF")

func utf16BOM(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(b, []byte{0xFF, 0xFE, 0, 0}) ||
		bytes.HasPrefix(b, []byte{0xFE, 0xFF})
}

func looksBinary(head []byte) bool {
	return bytes.HasPrefix(head, []byte("%PDF-")) || bytes.IndexByte(head[:min(len(head), sniffLen)], 0) >= 0
}

// Text decodes a file's bytes as Read does; ok is false for a binary file,
// which is one with a NUL byte near its start, or a PDF document.
func Text(b []byte) (text string, ok bool) {
	if utf16BOM(b) && len(b)%2 == 0 {
		big := b[0] == 0xFE
		u := make([]uint16, 0, len(b)/2-1)
		for i := 2; i+1 < len(b); i += 2 {
			if big {
				u = append(u, uint16(b[i])<<8|uint16(b[i+1]))
			} else {
				u = append(u, uint16(b[i+1])<<8|uint16(b[i]))
			}
		}
		return string(utf16.Decode(u)), true
	}
	if looksBinary(b) {
		return "", false
	}
	b = bytes.TrimPrefix(b, utf8BOM)
	if asmutf8.Valid(b) {
		return string(b), true
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), true
}

// NotText is the error for a file that is not text; head is its beginning. For a PDF document it
// says how to send it.
func NotText(path string, head []byte) error {
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return fault.New(fault.Invalid, "%s is a PDF document, not text: write ![document](%s) in a prompt to send it", path, path)
	}
	return fault.New(fault.Invalid, "%s is a binary file, not text", path)
}

func tooLarge(path string, size, limit int64) error {
	return fault.New(fault.Invalid, "%s is %s, more than the %s that fit: name a range of lines, %s:1:200", path, Size(size), Size(limit), path)
}

// Size writes a number of bytes for a person: 512 B, 3.4 KB, 2 MB.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return trimZero(fmt.Sprintf("%.1f", float64(n)/(1<<10))) + " KB"
	case n < 1<<30:
		return trimZero(fmt.Sprintf("%.1f", float64(n)/(1<<20))) + " MB"
	}
	return trimZero(fmt.Sprintf("%.1f", float64(n)/(1<<30))) + " GB"
}

func trimZero(s string) string { return strings.TrimSuffix(s, ".0") }
