package approval

import (
	"path"
	"slices"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/glob"
)

// ValidPattern reports what is wrong with a pattern for a tool.
//
// For shell a pattern is a program and its first arguments, with quotes where
// a shell would need them:
//
//	go test ./...     exactly this
//	git log*          git log with whatever follows; also "git log *"
//	npm run build:*   one argument that begins so, and nothing after it
//	rm build/*        one argument; the star does not reach ".."
//	cd web && npm test  in the folder web of the workspace; "cd ** && ..." in any
//	> out/*           writing to files there
//	*                 every program, as far as its command is understood
//
// Without a folder a pattern holds in the workspace's own folder; for programs
// that only read, and for git, in all folders.
//
// For tools that name a file it is a path relative to the workspace: "*" and
// "?" stay in a folder, "**" goes through folders ("src/**", "**/*.md"). For
// other tools it is "*".
func ValidPattern(tool, pattern string) error {
	switch {
	case pattern == "":
		return fault.New(fault.Invalid, "the pattern is empty; \"*\" stands for everything")
	case len(pattern) > 4096:
		return fault.New(fault.Invalid, "the pattern is too long")
	case unreadable(pattern) != "":
		return fault.New(fault.Invalid, "the pattern: %s", unreadable(pattern))
	case tool != toolShell:
		if _, err := path.Match(strings.ReplaceAll(pattern, "**", "*"), ""); err != nil {
			return fault.New(fault.Invalid, "the pattern %q has a bracket that does not close", pattern)
		}
		return nil
	}
	_, err := parsePattern(pattern)
	return err
}

// token is one word of a pattern; a star is between its pieces.
type token struct{ pieces []string }

func (t token) literal() bool { return len(t.pieces) == 1 }

func (t token) match(s string) bool {
	if t.literal() {
		return s == t.pieces[0]
	}
	if !strings.HasPrefix(s, t.pieces[0]) {
		return false
	}
	if slices.Contains(strings.Split(s, "/"), "..") {
		return false
	}
	s = s[len(t.pieces[0]):]
	for _, p := range t.pieces[1 : len(t.pieces)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, t.pieces[len(t.pieces)-1])
}

// matchMany reports whether a star covers a word that may expand to several files: only if the
// program merely shows them, and not if the word is known only at run time.
func (t token) matchMany(p *part, a word) bool {
	return harmless[p.program] && !a.dynamic && strings.HasPrefix(a.prefix, t.pieces[0]) && !strings.Contains(a.text, "..")
}

// mayMatch reports whether a word that is known only at run time could match a token.
func (t token) mayMatch(a word) bool {
	switch {
	case a.literal:
		return t.match(a.text)
	case a.dynamic && a.many:
		return true
	}
	n := min(len(a.prefix), len(t.pieces[0]))
	return a.prefix[:n] == t.pieces[0][:n]
}

// commandPattern is a pattern of the shell tool.
type commandPattern struct {
	everything bool
	redirect   string // of "> x": the path's pattern
	folder     string // of "cd x && ...": the pattern of the folder, relative to the workspace
	tokens     []token
	rest       bool // whatever follows
}

func parsePattern(s string) (commandPattern, error) {
	s = strings.TrimSpace(s)
	if s == "*" {
		return commandPattern{everything: true}, nil
	}
	if to, ok := strings.CutPrefix(s, ">"); ok {
		to = strings.TrimSpace(strings.TrimPrefix(to, ">"))
		if to == "" {
			return commandPattern{}, fault.New(fault.Invalid, "the pattern %q names no file", s)
		}
		return commandPattern{redirect: to}, nil
	}
	folder := "."
	if rest, ok := strings.CutPrefix(s, "cd "); ok {
		if to, command, ok := strings.Cut(rest, "&&"); ok {
			words, err := tokenize(to)
			if err != nil {
				return commandPattern{}, err
			}
			if len(words) != 1 {
				return commandPattern{}, fault.New(fault.Invalid, "the pattern %q names no single folder", s)
			}
			folder, s = path.Clean(strings.Join(words[0].pieces, "*")), strings.TrimSpace(command)
		}
	}
	tokens, err := tokenize(s)
	if err != nil {
		return commandPattern{}, err
	}
	p := commandPattern{folder: folder, tokens: tokens}
	last := &p.tokens[len(p.tokens)-1]
	switch n := len(last.pieces); {
	case len(p.tokens) > 1 && n == 2 && last.pieces[0] == "" && last.pieces[1] == "":
		p.rest = true
		p.tokens = p.tokens[:len(p.tokens)-1]
	case n == 2 && last.pieces[1] == "" && wordEnds(last.pieces[0]):
		p.rest = true
		last.pieces = last.pieces[:1]
	}
	if !p.tokens[0].literal() || p.tokens[0].pieces[0] == "" {
		return commandPattern{}, fault.New(fault.Invalid, "the pattern %q has to begin with the whole name of a program", s)
	}
	return p, nil
}

// wordEnds reports whether a star after s means "and whatever follows": after a letter or digit.
// After other characters it is the rest of that word.
func wordEnds(s string) bool {
	if s == "" {
		return false
	}
	c := s[len(s)-1]
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func tokenize(s string) ([]token, error) {
	var out []token
	var piece strings.Builder
	var pieces []string
	inside := false
	end := func() {
		if inside {
			out = append(out, token{append(pieces, piece.String())})
		}
		piece.Reset()
		pieces, inside = nil, false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n':
			end()
			continue
		case '\'', '"':
			close := strings.IndexByte(s[i+1:], c)
			if close < 0 {
				return nil, fault.New(fault.Invalid, "the pattern %q has a quote that does not close", s)
			}
			text := s[i+1 : i+1+close]
			piece.WriteString(text)
			i += 1 + close
		case '\\':
			if i+1 < len(s) {
				i++
				piece.WriteByte(s[i])
			}
		case '*':
			pieces = append(pieces, piece.String())
			piece.Reset()
		default:
			piece.WriteByte(c)
		}
		inside = true
	}
	end()
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "the pattern is empty")
	}
	return out, nil
}

// match reports whether the pattern matches a command, and which arguments it names without a star.
func (c commandPattern) match(p *part) (ok bool, named []bool) {
	named = make([]bool, len(p.args))
	if c.everything {
		return true, named
	}
	if c.redirect != "" || p.program != c.tokens[0].pieces[0] {
		return false, nil
	}
	rest := c.tokens[1:]
	if len(p.args) < len(rest) || len(p.args) > len(rest) && !c.rest {
		return false, nil
	}
	for i, t := range rest {
		a := p.args[i]
		switch {
		case t.literal():
			if !a.literal || a.text != t.pieces[0] {
				return false, nil
			}
			named[i] = true
		case !a.literal && !t.matchMany(p, a), a.literal && !t.match(a.text):
			return false, nil
		case slices.ContainsFunc(a.leads, func(to string) bool { return !t.match(to) }):
			return false, nil
		}
	}
	return true, named
}

// hits reports whether a denial's pattern matches a command, or could, depending on values known
// only at run time. It finds more than match: another path of the program, and arguments anywhere.
func (c commandPattern) hits(p *part) (sure, maybe bool) {
	if c.everything {
		return p.program != "", false
	}
	if c.redirect != "" || p.program == "" || !strings.EqualFold(baseName(p.program), baseName(c.tokens[0].pieces[0])) {
		return false, false
	}
	sure = c.inOrder(p, func(t token, a word, last bool) bool {
		return t.match(a.text) || last && t.literal() && strings.HasPrefix(a.text, t.pieces[0])
	})
	return sure, !sure && c.inOrder(p, func(t token, a word, last bool) bool {
		return t.mayMatch(a) || last && t.literal() && strings.HasPrefix(a.text, t.pieces[0])
	})
}

// inOrder reports whether the arguments of a command match a pattern's tokens, in order. A word
// that may expand to several matches any number of tokens.
func (c commandPattern) inOrder(p *part, is func(t token, a word, last bool) bool) bool {
	at := 0
	for n, t := range c.tokens[1:] {
		found := false
		for ; at < len(p.args) && !found; at++ {
			a := p.args[at]
			found = is(t, a, c.rest && n == len(c.tokens)-2)
			if found && !a.literal && a.many {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func baseName(program string) string {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	if len(program) > 4 && strings.EqualFold(program[len(program)-4:], ".exe") {
		program = program[:len(program)-4]
	}
	return program
}

// matchPath reports whether a pattern matches a path, both with slashes.
func matchPath(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	return glob.Match(strings.Split(pattern, "/"), name, func(pattern, name string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// names reports whether a pattern of paths covers a file: a file that controls programs has to be
// named.
func names(pattern, name string) bool {
	if pattern == "*" {
		pattern = "**"
	}
	if !matchPath(pattern, name) {
		return false
	}
	g := guarded(name)
	return g == "" || slices.ContainsFunc(strings.Split(pattern, "/"), func(s string) bool { return strings.EqualFold(s, g) })
}

// quote writes a word so that a pattern takes it literally.
func quote(s string) string {
	if s == "" {
		return "''"
	}
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+%^") == "" {
		return s
	}
	if !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(" \t\n'\"\\*>", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
