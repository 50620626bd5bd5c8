package builtin

import (
	"strings"

	"mutsumi/backend/lazyregexp"
)

var (
	scriptType   = lazyregexp.New(`^\s*(?:@[\w.]+(?:\([^)]*\))?\s*)*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:const\s+)?(class|interface|enum|namespace|module)\b(?:\s+([\w$.]+))?`)
	scriptAlias  = lazyregexp.New(`^\s*(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)[^=]*=`)
	scriptFunc   = lazyregexp.New(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\b\s*\*?\s*([\w$]*)`)
	scriptConst  = lazyregexp.New(`^\s*(export\s+)?(?:declare\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]*)?(=?)\s*(.*)`)
	scriptArrow  = lazyregexp.New(`^(?:async\b\s*)?(?:function\b|(?:<[^>]*>\s*)?\(|[\w$]+\s*=>)`)
	scriptMember = lazyregexp.New(`^\s*(?:@[\w.]+(?:\([^)]*\))?\s*)*(?:(?:public|private|protected|static|async|get|set|readonly|override|abstract|declare|accessor)\s+)*\*?\s*(#?[\w$]+|\[[^\]]+\])\s*[?!]?\s*(?:<[^({]*>)?\(`)
	scriptField  = lazyregexp.New(`^\s*(?:(?:public|private|protected|static|readonly|override|declare)\s+)*(#?[\w$]+)\s*(?::[^=]*)?=\s*(.*)`)
	scriptWords  = lazyregexp.New(`^\s*(?:if|for|while|switch|catch|return|else|do|new|throw|await|typeof|super|function|import)\b`)
)

// scriptSymbols finds the declarations of TypeScript and JavaScript line by
// line: statements need no semicolon there, so that only lines are sure.
func scriptSymbols(src string) []symbol {
	code := blank(src, scriptSyntax)
	lines, original := strings.Split(code, "\n"), strings.Split(src, "\n")
	var out []symbol
	var inside []scriptBody // classes and namespaces around
	depth := 0              // of all brackets
	for i, line := range lines {
		for len(inside) > 0 && depth < inside[len(inside)-1].depth {
			inside = inside[:len(inside)-1]
		}
		level, class := 0, false
		if n := len(inside); n > 0 {
			level, class = inside[n-1].depth, inside[n-1].class
		}
		if depth == level && strings.TrimSpace(line) != "" {
			head := scriptHead(lines[i:], original[i:])
			text, opens, isClass := scriptLine(line, head, class)
			if text != "" {
				out = append(out, symbol{i + 1, len(inside), text})
			}
			if opens {
				inside = append(inside, scriptBody{depth + 1, isClass})
			}
		}
		for k := 0; k < len(line); k++ {
			switch line[k] {
			case '{', '(', '[':
				depth++
			case '}', ')', ']':
				depth = max(0, depth-1)
			}
		}
		// A body that opens on a later line keeps its place; one that closed
		// on its own line is gone at the next line.
	}
	return out
}

type scriptBody struct {
	depth int
	class bool
}

func scriptLine(line, head string, class bool) (text string, opens, isClass bool) {
	if class {
		switch {
		case scriptWords.MatchString(line):
			return "", false, false
		case scriptMember.MatchString(line):
			return head, false, false
		}
		if m := scriptField.FindStringSubmatch(line); m != nil && scriptArrow.MatchString(m[2]) && strings.Contains(head+line, "=>") {
			return head, false, false
		}
		return "", false, false
	}
	if m := scriptType.FindStringSubmatch(line); m != nil && (m[2] != "" || m[1] == "class" && strings.Contains(line, "default")) {
		return head, m[1] != "enum" && m[1] != "interface", m[1] == "class"
	}
	if m := scriptAlias.FindStringSubmatch(line); m != nil {
		return "type " + m[1], false, false
	}
	if scriptFunc.MatchString(line) {
		return head, false, false
	}
	if m := scriptConst.FindStringSubmatch(line); m != nil {
		switch {
		case scriptArrow.MatchString(m[4]):
			return head, false, false
		case m[1] != "" || strings.ToUpper(m[2]) == m[2] && len(m[2]) > 1:
			return strings.TrimSpace(m[1] + "const " + m[2]), false, false
		}
	}
	return "", false, false
}

// scriptHead joins a declaration up to its body, with the text of the source.
func scriptHead(lines, original []string) string {
	var b strings.Builder
	depth := 0
	for i, line := range lines {
		if i == 12 {
			break
		}
		for k := 0; k < len(line); k++ {
			switch c := line[k]; {
			case c == '(' || c == '[':
				depth++
			case c == ')' || c == ']' || c == '}':
				depth--
			case c == '{' && inType(b.String()):
				depth++
			case depth <= 0 && (c == '{' || c == ';' || c == '=' && strings.HasPrefix(line[k:], "=>")):
				return strings.TrimSpace(b.String())
			case c == '{':
				depth++
			}
			b.WriteByte(original[i][k])
		}
		if depth <= 0 {
			break
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// inType reports whether a brace after head opens a type or a value, not a body.
func inType(head string) bool {
	head = strings.TrimRight(head, " \t")
	return head != "" && strings.IndexByte("<|&:,=", head[len(head)-1]) >= 0
}
