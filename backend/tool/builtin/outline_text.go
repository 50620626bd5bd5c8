package builtin

import (
	"strings"

	"mutsumi/backend/lazyregexp"
)

var (
	pythonDecl  = lazyregexp.New(`^(\s*)((?:async\s+)?def\s+\w+|class\s+\w+)`)
	pythonConst = lazyregexp.New(`^([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=[^=]`)
	atxHeading  = lazyregexp.New(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	fence       = lazyregexp.New("^ {0,3}(```+|~~~+)")
	setext      = lazyregexp.New(`^ {0,3}(=+|-+)[ \t]*$`)
)

// pythonSymbols finds classes, functions and constants by indentation.
func pythonSymbols(src string) []symbol {
	lines, original := strings.Split(blank(src, pythonSyntax), "\n"), strings.Split(src, "\n")
	var out []symbol
	var open []int // indentations of the declarations around
	for i, line := range lines {
		m := pythonDecl.FindStringSubmatch(line)
		if m == nil {
			if c := pythonConst.FindStringSubmatch(line); c != nil {
				out, open = append(out, symbol{i + 1, 0, c[1]}), nil
			}
			continue
		}
		indent := len(strings.ReplaceAll(m[1], "\t", "        "))
		for len(open) > 0 && open[len(open)-1] >= indent {
			open = open[:len(open)-1]
		}
		out = append(out, symbol{i + 1, len(open), pythonHead(lines[i:], original[i:])})
		open = append(open, indent)
	}
	return out
}

// pythonHead joins a declaration up to the colon that ends it, with the
// strings of the source.
func pythonHead(lines, original []string) string {
	var b strings.Builder
	depth := 0
	for i, line := range lines {
		if i == 12 {
			break
		}
		shown := line
		if !strings.Contains(original[i], "#") {
			shown = original[i]
		}
		for k := 0; k < len(line); k++ {
			switch c := line[k]; {
			case strings.IndexByte("([{", c) >= 0:
				depth++
			case strings.IndexByte(")]}", c) >= 0:
				depth--
			case c == ':' && depth <= 0:
				return strings.TrimSpace(b.String())
			}
			b.WriteByte(shown[k])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// markdownSymbols finds headings outside code.
func markdownSymbols(src string) []symbol {
	var out []symbol
	open := "" // the fence that has to be closed
	previous := ""
	skip := frontMatter(src)
	for i, line := range strings.Split(src, "\n") {
		if i < skip {
			continue
		}
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case open == "":
				open = m[1]
			case m[1][0] == open[0] && len(m[1]) >= len(open) && strings.Trim(line, " \t"+open[:1]) == "":
				open = ""
			}
			previous = ""
			continue
		}
		if open != "" {
			continue
		}
		if m := atxHeading.FindStringSubmatch(line); m != nil && m[2] != "" {
			out = append(out, symbol{i + 1, len(m[1]) - 1, m[2]})
			previous = ""
			continue
		}
		if m := setext.FindStringSubmatch(line); m != nil && previous != "" {
			depth := 0
			if m[1][0] == '-' {
				depth = 1
			}
			out = append(out, symbol{i, depth, previous})
			previous = ""
			continue
		}
		previous = strings.TrimSpace(line)
		if strings.HasPrefix(previous, ">") || strings.HasPrefix(previous, "- ") || strings.HasPrefix(previous, "* ") || strings.HasPrefix(previous, "|") || strings.HasPrefix(line, "    ") {
			previous = ""
		}
	}
	return out
}

// frontMatter counts the lines of a block between --- and --- at the start.
func frontMatter(src string) int {
	if !strings.HasPrefix(src, "---\n") {
		return 0
	}
	end := strings.Index(src[3:], "\n---\n")
	if end < 0 {
		return 0
	}
	return strings.Count(src[:3+end], "\n") + 2
}
