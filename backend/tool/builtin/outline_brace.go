package builtin

import (
	"strings"

	"mutsumi/backend/lazyregexp"
)

// A declaration in a language with braces is the text between the end of the previous one and its
// "{" or ";". Containers (classes, namespaces) are entered; anything else in braces is a body and
// is skipped.

// braceLanguage returns the outline text for the head of a declaration ("" for none), and whether
// its braces contain further declarations.
type braceLanguage func(head string, end byte, depth int) (text string, container bool)

type braceFrame struct{ container, counted bool }

// braceSymbols walks blanked source.
func braceSymbols(src string, lang braceLanguage) []symbol {
	var out []symbol
	var frames []braceFrame
	hidden := 0 // frames that are not containers
	depth := 0  // frames that are counted in the outline
	start := -1 // of the head
	line, startLine := 1, 1
	parens := 0
	for i := 0; i < len(src); i++ {
		c := src[i]
		if c == '\n' {
			line++
			if start >= 0 && src[start] == '#' && !strings.HasSuffix(strings.TrimRight(src[start:i], " \t\r"), `\`) {
				if text, _ := lang(src[start:i], '\n', depth); text != "" && hidden == 0 {
					out = append(out, symbol{startLine, depth, text})
				}
				start = -1
			}
			continue
		}
		if hidden == 0 && start < 0 && c > ' ' && c != '}' && c != ';' {
			start, startLine = i, line
		}
		switch {
		case start >= 0 && src[start] == '#' && hidden == 0 && (i+1 >= len(src) || !strings.HasPrefix(src[start:], "#[")):
			continue // a directive runs to the end of its line
		case c == '(' || c == '[':
			parens++
		case c == ')' || c == ']':
			parens = max(0, parens-1)
			if c == ']' && start >= 0 && parens == 0 && strings.HasPrefix(src[start:], "#") {
				start = -1 // an attribute of Rust
			}
		case c == '{':
			f := braceFrame{}
			if hidden == 0 && start >= 0 && parens == 0 {
				text, container := lang(src[start:i], '{', depth)
				f.container = container
				if text != "" {
					out = append(out, symbol{startLine, depth, text})
					f.counted = true
				}
			}
			if f.container && f.counted {
				depth++
			}
			if !f.container {
				hidden++
			}
			frames = append(frames, f)
			if f.container || hidden == 0 {
				start = -1
			}
		case c == '}':
			if n := len(frames); n > 0 {
				f := frames[n-1]
				frames = frames[:n-1]
				if f.container && f.counted {
					depth--
				}
				if !f.container {
					hidden--
				}
			}
			if hidden == 0 {
				start = -1
			}
			if len(frames) == 0 {
				parens = 0 // a mistake further up does not spoil the rest
			}
		case c == ';' && hidden == 0 && parens == 0:
			if start >= 0 {
				if text, _ := lang(src[start:i], ';', depth); text != "" {
					out = append(out, symbol{startLine, depth, text})
				}
			}
			start = -1
		}
	}
	return out
}

var (
	rustItem  = lazyregexp.New(`^(?:pub(?:\s*\([^)]*\))?\s+)?(?:default\s+)?((?:(?:const|async|unsafe|extern(?:\s*"[^"]*")?)\s+)*fn|struct|enum|union|trait|unsafe\s+trait|mod|type|const|static|impl|unsafe\s+impl)\b|^(macro_rules!)`)
	rustValue = lazyregexp.New(`\s*=.*$`)

	javaType   = lazyregexp.New(`\b(class|interface|enum|record|@interface)\s+\w+`)
	javaMethod = lazyregexp.New(`^(?:@\w+(?:\s*\([^)]*\))?\s*)*(?:(?:public|protected|private|static|final|abstract|native|synchronized|default|strictfp)\s+)*(?:<[^>]+>\s*)?(?:[\w.<>\[\],?\s]+\s+)?\w+\s*\(`)
	annotation = lazyregexp.New(`^(?:@[\w.]+(?:\s*\([^)]*\))?\s*)+`)

	cType   = lazyregexp.New(`^(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:export\s+)?(namespace|class|struct|union|enum(?:\s+(?:class|struct))?)\b`)
	cDefine = lazyregexp.New(`^#\s*define\s+(\w+(?:\([^)]*\))?)`)
	cFunc   = lazyregexp.New(`^[\w\s:*&<>,~\[\]="]*?[\w:~]+(?:\s*operator\s*[^\s(]+|\s*operator\s*\(\s*\))?\s*\(`)
	control = lazyregexp.New(`^(?:if|for|while|switch|return|else|do|catch|throw|new|delete|case|goto|sizeof|using|static_assert|try|finally|assert|super|this)\b`)
)

func rustSymbols(src string) []symbol {
	return braceSymbols(blank(src, rustSyntax), func(head string, end byte, _ int) (string, bool) {
		m := rustItem.FindStringSubmatch(head)
		if m == nil {
			return "", false
		}
		switch kind := m[1]; {
		case kind == "const" || kind == "static" || kind == "type":
			return rustValue.ReplaceAllString(strings.Join(strings.Fields(head), " "), ""), false
		default:
			inner := kind == "mod" || strings.HasSuffix(kind, "impl") || strings.HasSuffix(kind, "trait")
			return head, inner && end == '{'
		}
	})
}

func javaSymbols(src string) []symbol {
	return braceSymbols(blank(src, javaSyntax), func(head string, end byte, depth int) (string, bool) {
		head = strings.TrimLeft(head, ") \t\n") // of an annotation with braces in it
		head = strings.TrimSpace(annotation.ReplaceAllString(head, ""))
		switch {
		case control.MatchString(head):
			return "", false
		case end == '{' && javaType.MatchString(head) && !strings.Contains(before(head, "("), "="):
			return head, true
		case depth > 0 && javaMethod.MatchString(head) && !strings.Contains(before(head, "("), "="):
			return head, false
		}
		return "", false
	})
}

func cSymbols(src string) []symbol {
	return braceSymbols(blank(src, cSyntax), func(head string, end byte, _ int) (string, bool) {
		for _, label := range []string{"public", "private", "protected"} { // access labels are before members
			if rest, ok := strings.CutPrefix(head, label); ok && strings.HasPrefix(strings.TrimSpace(rest), ":") {
				head = strings.TrimSpace(strings.TrimSpace(rest)[1:])
			}
		}
		if end == '\n' {
			if m := cDefine.FindStringSubmatch(head); m != nil {
				return "#define " + m[1], false
			}
			return "", false
		}
		if strings.HasPrefix(head, "extern") && end == '{' && !strings.Contains(head, "(") {
			return "", true
		}
		if m := cType.FindStringSubmatch(head); m != nil && !strings.Contains(head, "(") && !strings.Contains(head, "=") {
			if end != '{' {
				return "", false // a forward declaration, or a variable
			}
			return head, !strings.HasPrefix(m[1], "enum")
		}
		switch {
		case control.MatchString(head):
			return "", false
		case strings.HasPrefix(head, "typedef"):
			return head, false
		case cFunc.MatchString(head) && !strings.Contains(before(head, "("), "=") || strings.Contains(head, "operator") && strings.Contains(head, "("):
			return head, false
		}
		return "", false
	})
}

func before(s, mark string) string {
	s, _, _ = strings.Cut(s, mark)
	return s
}
