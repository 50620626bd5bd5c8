package approval

import "strings"

// archiveRisks requires a grant to name the mode of an archive program unless it only lists the
// content: nobody can see where an archive would extract to.
func archiveRisks(p *part, name string) []finding {
	const why = " writes files that are known only when it runs"
	if name == "unzip" {
		for _, a := range p.args {
			if a.literal && len(a.text) > 1 && a.text[0] == '-' && strings.ContainsAny(a.text, "ltvpzZ") && !strings.ContainsAny(a.text, "oduxn") {
				return nil
			}
		}
		return []finding{{max(0, len(p.args)-1), RiskWrites, p.program + why}}
	}
	lists := false
	for i, a := range p.args {
		text := a.text
		if !a.literal {
			text = a.prefix
		}
		switch {
		case strings.HasPrefix(text, "--"):
			verb, _, _ := strings.Cut(text, "=")
			for _, long := range strings.Fields("--extract --get --create --append --update --concatenate --catenate --delete") {
				if len(verb) > 3 && strings.HasPrefix(long, verb) {
					return []finding{{i, RiskWrites, a.text + why}}
				}
			}
			lists = lists || len(verb) > 3 && (strings.HasPrefix("--list", verb) || strings.HasPrefix("--diff", verb) || strings.HasPrefix("--compare", verb) || verb == "--version" || verb == "--help")
		case i == 0 || strings.HasPrefix(text, "-"):
			if strings.ContainsAny(text, "xcruA") {
				return []finding{{i, RiskWrites, a.text + why}}
			}
			lists = lists || strings.ContainsAny(text, "td")
		}
	}
	if lists {
		return nil
	}
	return []finding{{nothingCovers, RiskWrites, p.program + why}}
}

// patchRisks finds programs that write the files named in a patch. No argument names the files if
// the patch comes from elsewhere.
func patchRisks(p *part) finding {
	arg := nothingCovers
	for i, a := range p.args {
		named := strings.HasPrefix(a.text, "-i") || strings.HasPrefix(a.text, "--input") || a.text != "" && a.text[0] != '-'
		if named && (i > 0 || p.program != "git") {
			arg = i
		}
	}
	return finding{arg, RiskWrites, p.program + " writes files that the patch names"}
}

// dateRisks finds what sets the clock: any argument that is neither an option
// nor its value nor a format.
func dateRisks(p *part) (out []finding) {
	for i := 0; i < len(p.args); i++ {
		a := p.args[i]
		switch {
		case !a.literal, strings.HasPrefix(a.text, "+"):
		case a.text == "--date" || a.text == "--reference" || a.text == "--file":
			i++
		case strings.HasPrefix(a.text, "--"):
		case len(a.text) > 1 && a.text[0] == '-':
			if at := strings.IndexAny(a.text, "drf"); at == len(a.text)-1 {
				i++
			}
		default:
			out = append(out, finding{i, RiskWrites, a.text + " sets the clock"})
		}
	}
	return out
}

// jqRisks finds programs of jq that read more than their input.
func jqRisks(p *part) (out []finding) {
	for i, a := range p.args {
		for _, word := range []string{"import", "include", "env", "ENV", "get_search_list", "modulemeta"} {
			if strings.Contains(a.text, word) && !strings.HasPrefix(a.text, "-") {
				out = append(out, finding{i, RiskOutside, a.text + " can read other files or the environment"})
				break
			}
		}
	}
	return out
}
