package files

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"mutsumi/backend/fault"
)

// FromURI returns the path that a file:// URI names; anything else is a path
// already and comes back as it is. Percent signs mean something in URIs only.
// A URI of another machine or another scheme is Invalid.
func FromURI(s string) (string, error) {
	if len(s) < 5 || !strings.EqualFold(s[:5], "file:") {
		return s, nil
	}
	rest := s[5:]
	if strings.HasPrefix(rest, "//") {
		host, path, found := strings.Cut(rest[2:], "/")
		if host != "" && !strings.EqualFold(host, "localhost") {
			return "", fault.New(fault.Invalid, "%s names a file on another machine (%s)", s, host)
		}
		if !found {
			return "", fault.New(fault.Invalid, "%s names no file", s)
		}
		rest = "/" + path
	} else if !strings.HasPrefix(rest, "/") {
		return "", fault.New(fault.Invalid, "%s is not a file URI: write file:///path", s)
	}
	p, err := url.PathUnescape(rest)
	if err != nil {
		return "", fault.New(fault.Invalid, "%s: a percent sign in a file URI needs two hexadecimal digits", s)
	}
	if runtime.GOOS == "windows" && len(p) >= 3 && p[2] == ':' {
		p = p[1:]
	}
	return filepath.FromSlash(p), nil
}

// ToURI returns the file:// URI of an absolute path. Everything but letters,
// digits, `-._~` and `/` is percent-encoded, so that it can be in Markdown
// and in a reference.
func ToURI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return "file://" + Escape(p)
}

// Escape percent-encodes a path with slashes the way ToURI does.
func Escape(p string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(p))
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			c == '-', c == '.', c == '_', c == '~', c == '/':
			b.WriteByte(c)
		case c == ':' && i == 2 && runtime.GOOS == "windows": // /C:/...
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
