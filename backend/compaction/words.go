package compaction

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of thing that a text names.
type Kind string

// The kinds of things, in the order in which they are listed.
const (
	Todo    Kind = "todo"    // an open one
	Command Kind = "command" // that failed
	Words   Kind = "words"   // a sentence of the person
	Path    Kind = "path"
	Address Kind = "address" // of the web, of mail, of a host
	Number  Kind = "number"
	Name    Kind = "name" // an identifier
)

// eachWord calls f with each word of a text that may be a name, its position, and whether it is
// alone between backticks. A word is ASCII; after a slash it may contain other letters too.
func eachWord(text string, f func(word string, at int, quoted bool)) {
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) {
			if wordByte(text[i]) {
				i++
				continue
			}
			n := letterBehindSlash(text, start, i)
			if n == 0 {
				break
			}
			i += n
		}
		end := start + len(strings.TrimRight(text[start:i], ".,:;!?-"))
		begin := start + len(text[start:end]) - len(strings.TrimLeft(text[start:end], ",:;!?="))
		if begin < end {
			quoted := begin > 0 && text[begin-1] == '`' && end < len(text) && text[end] == '`'
			f(text[begin:end], begin, quoted)
		}
	}
}

// letterBehindSlash is the size of a non-ASCII letter at i that belongs to the last part of a path
// that begins at start; 0: there is none.
func letterBehindSlash(text string, start, i int) int {
	r, n := utf8.DecodeRuneInString(text[i:])
	if r < utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return 0
	}
	last := strings.LastIndexByte(text[start:i], '/')
	if last < 0 || strings.ContainsFunc(text[start+last+1:i], func(r rune) bool { return r == '.' }) {
		return 0
	}
	return n
}

var wordBytes = func() (is [256]bool) {
	for c := range 256 {
		is[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c < 128 && strings.IndexByte("_./:@%+#~$=&?-\\,!;", byte(c)) >= 0
	}
	return is
}()

func wordByte(c byte) bool { return wordBytes[c] }

// kindOf returns the kind of thing that a word names, "" for a plain word. quoted: it is between
// backticks.
func kindOf(word string, quoted bool) Kind {
	switch {
	case len(word) < 2 || len(word) > 300:
		return ""
	case isAddress(word):
		return Address
	case isNumber(word):
		return Number
	case isPath(word, quoted):
		return Path
	case isName(word, quoted):
		return Name
	}
	return ""
}

func isAddress(word string) bool {
	if i := strings.Index(word, "://"); i > 0 {
		return len(word) > i+3
	}
	if at := strings.IndexByte(word, '@'); at > 0 {
		host := word[at+1:]
		return strings.Contains(host, ".") && !strings.ContainsAny(word, "/\\=") && isLetter(host[len(host)-1])
	}
	host, port, found := strings.Cut(word, ":")
	if found && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	if host == "localhost" {
		return found
	}
	parts := strings.Split(host, ".")
	if len(parts) != 4 {
		return false
	}
	for _, p := range parts {
		if p == "" || len(p) > 3 || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}

// isNumber accepts 8192, 61,240, 0.25, 99.9%, $0.11, 12ms and 1.26.3; a single digit says too
// little.
func isNumber(word string) bool {
	w := strings.TrimLeft(word, "$+-#~")
	if w == "" || w[0] < '0' || w[0] > '9' {
		return false
	}
	digits, letters := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			if letters > 0 {
				return false // a mixture is a name: 3f9ab2c
			}
			digits++
		case c == '.' || c == ',' || c == '_' || c == '%' || c == ':' || c == '-':
		case isLetter(c):
			letters++
		default:
			return false
		}
	}
	return digits > 1 && letters <= 3
}

func isPath(word string, quoted bool) bool {
	name := word
	if i := strings.IndexByte(name, ':'); i > 1 { // line and column
		if strings.Trim(name[i:], "0123456789:") != "" {
			return false
		}
		name = name[:i]
	}
	if strings.ContainsAny(name, "=&?,;!@") {
		return false
	}
	slashes := strings.Count(name, "/") + strings.Count(name, "\\")
	base := name[strings.LastIndexAny(name, "/\\")+1:]
	if slashes == 0 {
		dot := strings.LastIndexByte(name, '.')
		return dot > 0 && extensions[strings.ToLower(name[dot+1:])]
	}
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return false
	}
	switch {
	case strings.HasPrefix(name, "//"), strings.Contains(name, "/-"):
		return false
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"), strings.HasPrefix(name, "~/"), strings.HasSuffix(name, "/"), quoted:
		return true
	case strings.Contains(base, "."), slashes > 1:
		return true
	}
	return name[0] == '/' && len(name) > 2
}

// extensions are those by which a word without a slash is a file.
var extensions = func() map[string]bool {
	is := map[string]bool{}
	for _, e := range strings.Fields(`go mod sum ts tsx js jsx mjs cjs svelte vue py rb rs c h cc cpp hpp java kt swift cs php lua sh bash zsh ps1
		sql html css scss md mdx txt rst json jsonl yaml yml toml xml ini cfg conf env lock csv tsv log proto graphql tf gradle mk
		png jpg jpeg gif svg webp pdf mtm ipynb tex patch diff zip gz wasm`) {
		is[e] = true
	}
	return is
}()

// isName takes identifiers: two_words, twoWords, TWO_WORDS, Type.Method, f(), a
// hash, and anything like one between backticks.
func isName(word string, quoted bool) bool {
	if strings.ContainsAny(word, "/\\@%+#~$=&?,!;") || !isLetter(word[0]) && word[0] != '_' && !isHash(word) {
		return false
	}
	if quoted || isHash(word) {
		return true
	}
	lower := false
	for i := 1; i < len(word); i++ {
		c := word[i]
		switch {
		case c == '_' && i < len(word)-1:
			return true
		case c >= 'A' && c <= 'Z' && lower:
			return true // a hump
		case (c == '.' || c == ':') && i < len(word)-1 && word[i+1] >= 'A' && word[i+1] <= 'Z':
			return true // a member
		}
		lower = c >= 'a' && c <= 'z'
	}
	return false
}

// isHash reports whether a word is hexadecimal, with letters and digits, of seven
// or more.
func isHash(word string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f':
			letters++
		default:
			return false
		}
	}
	return digits+letters >= 7 && digits > 0 && letters > 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
