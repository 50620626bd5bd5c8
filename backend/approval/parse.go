package approval

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"mutsumi/backend/clip"
)

const (
	maxCommand = 64 << 10 // bytes of a command that is taken apart
	maxNested  = 4        // scripts in scripts: sh -c "sh -c ..."
	maxParts   = 500
	maxArgs    = 1000 // per program
	maxDepth   = 100  // substitutions and groups in one another
)

// walker takes a command apart. Each kind of node has its case; the rest is
// not understood.
type walker struct {
	text      string
	dialect   dialect
	parts     *[]*part
	depth     int
	nested    int  // scripts around this one
	moves     *int // how many words could change the folder: with any, relative paths cannot be told
	vars      map[string]variable
	cdTargets *[]string   // folders that the command may go to
	folders   *[]string   // folders in which the next program may start
	input     func() bool // whether the pipe carries only names of files inside the allowed folders; nil: no
	inSubst   bool
	shallow   bool // substitutions are not looked at
	looped    bool
	allowed   *places
}

// parse takes a command apart, as the shell that runs it reads it.
func parse(text, shell string, where *places) *command {
	c := &command{text: text}
	moves := 0
	w := &walker{text: text, dialect: dialectOf(shell), parts: &c.parts, moves: &moves, cdTargets: &[]string{}, folders: &[]string{where.folder}, allowed: where}
	w.script()
	c.moved = moves > 0
	return c
}

// script parses the walker's text as a shell script.
func (w *walker) script() {
	file, why := readScript(w.text, w.dialect)
	if why != "" {
		w.unknown(w.text, why)
	}
	if file == nil {
		return
	}
	*w.moves += moves(file)
	w.collect(file)
	w.stmts(file.Stmts)
}

// moves counts the words that could change the working folder.
func moves(n syntax.Node) (count int) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			for _, a := range call.Args {
				switch bare(a) {
				case "cd", "pushd", "popd":
					count++
				}
			}
		}
		return true
	})
	return count
}

func (w *walker) moved() bool { return *w.moves > 0 }

// bare is a word's text without any quotes: for guesses on the careful side.
func bare(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(n.Value, "\\", ""))
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp:
			return false // a word with these is not known anyway
		}
		return true
	})
	return b.String()
}

func (w *walker) add(p *part) *part {
	p.depth = w.depth
	p.folders = slices.Clone(*w.folders)
	if len(*w.parts) > maxParts {
		return p
	}
	if len(*w.parts) == maxParts {
		*w.parts = append(*w.parts, &part{kind: KindUnknown, text: "...", problem: "it does too many things to be checked"})
		return p
	}
	*w.parts = append(*w.parts, p)
	return p
}

func (w *walker) unknown(text, why string) {
	w.add(&part{kind: KindUnknown, text: text, problem: why})
}

// source is a node's text as it is written.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.text) || from >= to {
		return ""
	}
	return w.text[from:to]
}

func (w *walker) deeper() *walker {
	d := *w
	d.depth++
	return &d
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	switch {
	case len(*w.parts) > maxParts:
		return
	case w.depth > maxDepth:
		w.unknown(w.source(s), "it is nested too deeply to be checked")
		return
	case s.Coprocess || s.Disown:
		w.unknown(w.source(s), "a coprocess")
		return
	case s.Background:
		w.add(&part{kind: KindControl, text: w.source(s), neutral: true, note: "in the background"})
		w = w.subshell()
	}
	if s.Cmd != nil {
		w.cmd(s.Cmd)
	}
	for _, r := range s.Redirs {
		w.redirect(r)
	}
}

// control adds a part for a construct whose commands are walked next.
func (w *walker) control(n syntax.Node, note string) *walker {
	w.add(&part{kind: KindControl, text: w.source(n), neutral: true, note: note})
	return w.deeper()
}

func (w *walker) cmd(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt, syntax.OrStmt:
			w.chain(c)
		case syntax.Pipe, syntax.PipeAll:
			w.subshell().stmt(c.X)
			w.add(&part{kind: KindPipe, text: c.Op.String(), neutral: true, note: "its output goes to the next"})
			if _, timed := c.Y.Cmd.(*syntax.TimeClause); timed {
				w.unknown(w.source(c.Y), "time behind a pipe, where shells take it for a program")
			}
			right := w.subshell()
			right.input = sync.OnceValue(func() bool { return w.listsNames(c.X, w.input) })
			right.stmt(c.Y)
		default:
			w.unknown(w.source(c), "an operator that is not known")
		}
	case *syntax.Block:
		w.control(c, "a group").stmts(c.Stmts)
	case *syntax.Subshell:
		w.control(c, "a group in a shell of its own").subshell().stmts(c.Stmts)
	case *syntax.IfClause:
		in := w.control(c, "if")
		before := *w.folders
		for ; c != nil; c = c.Else {
			in.stmts(c.Cond)
			in.branch(func() { in.stmts(c.Then) })
		}
		*w.folders = union(before, *w.folders)
	case *syntax.WhileClause:
		in := w.control(c, "a loop")
		in.looped = true
		in.stmts(c.Cond)
		in.stmts(c.Do)
	case *syntax.ForClause:
		w.loop(c)
	case *syntax.CaseClause:
		in := w.control(c, "case")
		in.word(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				in.word(p)
			}
			in.branch(func() { in.stmts(item.Stmts) })
		}
	case *syntax.TimeClause:
		if c.Stmt == nil {
			w.unknown(w.source(c), "time without a command")
			return
		}
		w.control(c, "its time is taken").stmt(c.Stmt)
	case *syntax.TestClause:
		w.test(c)
	case *syntax.DeclClause:
		w.declare(c)
	case *syntax.FuncDecl:
		w.unknown(w.source(c), "it defines a function, which can stand for any program")
	case *syntax.CoprocClause:
		w.unknown(w.source(c), "a coprocess")
	case *syntax.ArithmCmd, *syntax.LetClause:
		w.unknown(w.source(c), "arithmetic, which can run commands that stand in variables")
	default:
		w.unknown(w.source(c), "a construct that is not known")
	}
}

func (w *walker) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select {
		w.unknown(w.source(c), "a loop over arithmetic or a menu")
		return
	}
	in := w.control(c, "a loop")
	in.looped = true
	if why := badVariable(iter.Name.Value); why != "" {
		in.unknown(w.source(iter), why)
	}
	for _, item := range iter.Items {
		in.words(item)
	}
	in.stmts(c.Do)
}

// declare takes `export A=b` with harmless names and refuses the rest.
func (w *walker) declare(c *syntax.DeclClause) {
	if c.Variant.Value != "export" {
		w.unknown(w.source(c), c.Variant.Value+" changes what names mean")
		return
	}
	for _, a := range c.Args {
		w.assign(a)
	}
}

// assign checks an assignment, for the shell or for one program: whether programs see it depends on
// the environment.
func (w *walker) assign(a *syntax.Assign) {
	p := &part{kind: KindAssignment, text: w.source(a), neutral: true}
	w.add(p)
	switch {
	case a.Name == nil || a.Index != nil || a.Array != nil || a.Naked:
		p.problem = "an assignment that is more than NAME=VALUE"
		return
	case !syntax.ValidName(a.Name.Value) || !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(p.text, a.Name.Value), "+"), "="):
		p.problem = "an assignment to something that is no name, which shells take for a program"
		return
	}
	p.problem = badVariable(a.Name.Value)
	p.note = "sets " + a.Name.Value
	if a.Value != nil {
		w.word(a.Value)
	}
}

func (w *walker) redirect(r *syntax.Redirect) {
	p := &part{kind: KindRedirect, text: w.source(r)}
	w.add(p)
	switch {
	case r.N == nil:
	case strings.Trim(r.N.Value, "0123456789") != "":
		p.problem = "a redirect that sets a variable"
		return
	case w.dialect == posix && len(r.N.Value) > 1:
		p.problem = "a redirect of a channel whose number sh takes for a word"
		return
	}
	if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
		w.heredoc(p, r)
		return
	}
	p.target = w.deeper().word(r.Word)
	switch r.Op {
	case syntax.WordHdoc:
		p.kind, p.neutral, p.note = KindHeredoc, true, "a text as input"
	case syntax.DplIn, syntax.DplOut:
		p.neutral, p.note = true, "joins channels"
		number := strings.TrimSuffix(p.target.text, "-")
		if !p.target.literal || p.target.text == "" || strings.Trim(number, "0123456789") != "" {
			p.problem = "a redirect to a channel that is not known"
		}
	case syntax.RdrIn:
		p.neutral, p.note = true, "reads "+p.target.text
		p.problem = w.allowed.readable(p.target, w.moved())
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		p.write, p.note = true, "writes "+p.target.text
		p.problem = w.allowed.writable(p.target, w.moved())
		p.neutral = p.problem == "" && w.allowed.discards(p.target)
	default:
		p.problem = "a redirect that is not known"
	}
}

// heredoc accepts texts with an obvious end: shells differ in the grammar of odd delimiters.
func (w *walker) heredoc(p *part, r *syntax.Redirect) {
	p.kind, p.neutral, p.note = KindHeredoc, true, "a text as input"
	d := r.Word
	quoted, name := false, d.Lit()
	if len(d.Parts) == 1 {
		switch q := d.Parts[0].(type) {
		case *syntax.SglQuoted:
			quoted, name = !q.Dollar, q.Value
		case *syntax.DblQuoted:
			if lit, ok := soleLit(q.Parts); ok && !q.Dollar {
				quoted, name = true, lit
			}
		}
	}
	if !syntax.ValidName(name) || w.inSubst {
		p.problem = "a text as input whose end cannot be told for certain"
		return
	}
	if r.Hdoc == nil {
		return
	}
	if !w.endsAt(r, name) {
		p.problem = "a text as input whose end cannot be told for certain"
		return
	}
	p.text += "\n" + clip.Text(w.source(r.Hdoc), maxShown)
	if !quoted {
		w.deeper().inDouble(r.Hdoc.Parts)
	}
}

// endsAt reports whether a here-document ends at the first line that holds only its delimiter: the
// parser looks for a brace or a bracket first.
func (w *walker) endsAt(r *syntax.Redirect, name string) bool {
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if !r.Hdoc.Pos().IsValid() || from > to || to > len(w.text) {
		return false
	}
	lines := strings.Split(w.text[from:to], "\n")
	for i, line := range lines {
		if r.Op == syntax.DashHdoc {
			line = strings.TrimLeft(line, "\t")
		}
		if last := i == len(lines)-1; (line == name) != last {
			return false
		}
	}
	return to == len(w.text) || w.text[to] == '\n'
}

func soleLit(parts []syntax.WordPart) (string, bool) {
	if len(parts) != 1 {
		return "", false
	}
	lit, ok := parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return lit.Value, true
}
