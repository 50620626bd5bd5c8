package approval

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mutsumi/backend/lazyregexp"
)

// variable holds the values that a script assigns to a variable anywhere.
type variable struct {
	texts   []string
	glob    bool // texts are patterns of file names
	unknown bool
}

func (v *variable) add(x word) {
	switch {
	case x.literal:
		v.texts = append(v.texts, x.text)
	case x.values != nil:
		v.texts, v.glob = append(v.texts, x.values...), v.glob || x.glob
	default:
		v.unknown = true
	}
	v.unknown = v.unknown || len(v.texts) > maxValues
}

// collect records the values that a script assigns to variables and the folders it changes to, in
// any order. A variable that is set in a way that is not understood makes its own part ask.
func (w *walker) collect(file *syntax.File) {
	vars, targets := maps.Clone(w.vars), slices.Clone(*w.cdTargets)
	if vars == nil {
		vars = map[string]variable{}
	}
	plain := w.wordReader()
	set := func(name string, words ...word) {
		v := vars[name]
		v.texts = slices.Clone(v.texts)
		for _, x := range words {
			v.add(x)
		}
		vars[name] = v
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for _, a := range n.Assigns {
				if a.Name != nil && (len(n.Args) > 0 || a.Append || a.Naked || a.Index != nil || a.Array != nil) {
					set(a.Name.Value, word{})
				} else if a.Name != nil {
					set(a.Name.Value, plain.word(a.Value))
				}
			}
			targets = append(targets, plain.targets(n)...)
		case *syntax.DeclClause:
			for _, a := range n.Args {
				switch {
				case a.Name == nil:
				case a.Append || a.Index != nil || a.Array != nil:
					set(a.Name.Value, word{})
				case !a.Naked:
					set(a.Name.Value, plain.word(a.Value))
				}
			}
		case *syntax.ForClause:
			if iter, ok := n.Loop.(*syntax.WordIter); ok {
				if !iter.InPos.IsValid() {
					set(iter.Name.Value, word{})
				}
				for _, item := range iter.Items {
					set(iter.Name.Value, plain.words(item)...)
				}
			}
		}
		return true
	})
	w.vars, w.cdTargets = vars, &targets
}

// wordReader returns a walker that reads words without recording the substitutions in them, and
// that knows no variables.
func (w *walker) wordReader() *walker {
	d := *w
	d.parts, d.vars, d.shallow = &[]*part{}, nil, true
	return &d
}

// targets returns the folders that a simple command could go to with cd.
func (w *walker) targets(c *syntax.CallExpr) (out []string) {
	for i, a := range c.Args {
		if i > 4 || bare(a) != "cd" {
			continue
		}
		for _, to := range c.Args[i+1:] {
			if x := w.word(to); x.literal && x.text != "" {
				out = append(out, w.allowed.absolute(x.text))
			}
		}
		break
	}
	return out
}

// simpleBraces matches words with braces that every version of bash expands to the same list.
var simpleBraces = lazyregexp.New(`^([\w./@%+=:-]*)\{([\w./@%+=:-]+(?:,[\w./@%+=:-]+)+)\}([\w./@%+=:-]*)$`)

// words reads a word that may expand to several.
func (w *walker) words(x *syntax.Word) []word {
	m := simpleBraces.FindStringSubmatch(x.Lit())
	if m == nil || w.dialect != bash {
		return []word{w.word(x)}
	}
	var out []word
	for _, middle := range strings.Split(m[2], ",") {
		text := m[1] + middle + m[3]
		out = append(out, word{text: text, prefix: text, literal: true})
	}
	return out
}

// cross appends each of several texts to each value that a word may have so far.
func cross(values, texts []string) []string {
	if values == nil || len(values)*len(texts) > maxValues {
		return nil
	}
	out := make([]string, 0, len(values)*len(texts))
	for _, v := range values {
		for _, t := range texts {
			out = append(out, v+t)
		}
	}
	return out
}
