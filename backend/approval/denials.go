package approval

import (
	"slices"
	"strings"
)

// denial finds a denial that applies to a part.
func (j judge) denial(p *part) (Rule, bool) {
	for _, r := range j.rules {
		if !r.Deny {
			continue
		}
		if r.Tool != toolShell && r.Tool != "*" {
			if j.writes(p, func(n string) bool { return deniesPath(r.Pattern, n) }) {
				return r, true
			}
			continue
		}
		c, err := parsePattern(r.Pattern)
		if err != nil {
			continue
		}
		if c.redirect != "" {
			if j.writes(p, func(n string) bool { return deniesPath(c.redirect, n) }) {
				return r, true
			}
		} else if sure, _ := c.hits(p); sure && j.deniesIn(c, p) || c.everything {
			return r, true
		}
	}
	return Rule{}, false
}

// deniesIn reports whether a denial applies where a program may start: a denial without a folder
// applies everywhere.
func (j judge) deniesIn(c commandPattern, p *part) bool {
	return c.folder == "." || len(p.folders) == 0 || slices.ContainsFunc(p.folders, func(f string) bool { return matchPath(c.folder, j.places.name(f)) })
}

// maybeDenied finds a denial that could apply to a program, depending on the run-time values of its
// arguments.
func (j judge) maybeDenied(p *part) (Rule, bool) {
	for _, r := range j.rules {
		if !r.Deny {
			continue
		}
		c, err := parsePattern(r.Pattern)
		files := r.Tool != toolShell && r.Tool != "*" || err == nil && c.redirect != ""
		if files && p.writesMore {
			return r, true
		}
		if !files && err == nil {
			if _, maybe := c.hits(p); (maybe || c.launched(p)) && j.deniesIn(c, p) {
				return r, true
			}
		}
	}
	return Rule{}, false
}

// elsewhere are programs that run others in another place.
var elsewhere = setOf("docker podman kubectl gosu sudo doas")

// launched reports whether the arguments of a program that runs others name the denied program, or
// could rename it.
func (c commandPattern) launched(p *part) bool {
	if c.everything || c.redirect != "" {
		return false
	}
	name, denied := canonicalName(p.program), baseName(c.tokens[0].pieces[0])
	if name == "git" && strings.EqualFold(denied, "git") {
		return slices.ContainsFunc(p.args, func(a word) bool {
			return strings.Contains(strings.ToLower(a.text), "alias.") || strings.HasPrefix(a.text, "--config-env")
		})
	}
	if !launchers[name] && !elsewhere[name] {
		return false
	}
	return slices.ContainsFunc(p.args, func(a word) bool {
		return slices.ContainsFunc(strings.FieldsFunc(a.text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>{}'\"`$=", r) }), func(s string) bool {
			return strings.EqualFold(baseName(s), denied)
		})
	})
}

// writes reports whether a part writes one of those files.
func (j judge) writes(p *part, is func(string) bool) bool {
	return p.kind == KindRedirect && p.write && j.target(p, is) || slices.ContainsFunc(p.writes, is)
}

// target reports whether a name of the file that a redirect writes is one of those.
func (j judge) target(p *part, is func(string) bool) bool {
	return slices.ContainsFunc(p.targetNames, is)
}

// deniesPath matches names for denials: case is ignored, "*" is everything, and a folder includes
// its content.
func deniesPath(pattern, name string) bool {
	pattern, name = strings.ToLower(strings.TrimSuffix(pattern, "/")), strings.ToLower(name)
	return pattern == "*" || matchPath(pattern, name) || matchPath(pattern+"/**", name) ||
		!strings.Contains(pattern, "/") && matchPath("**/"+pattern, name)
}
