package checkpoint

import (
	"path/filepath"
	"slices"
	"strings"
)

// Doubt is the reason why a change found after a command may be somebody else's. The work tree
// shows that a file changed while the command ran, but not who changed it: an editor saves
// unannounced. So only the files that the command itself names as written are certainly its own.
type Doubt string

const (
	DoubtUnnamed Doubt = "unnamed" // the command does not name it
	DoubtCommand Doubt = "command" // another agent's command ran at the same time
	DoubtWritten Doubt = "written" // another agent's tool wrote it at the same time
	DoubtCut     Doubt = "cut"     // the program ended while the command ran
)

// why explains it to a person.
func (d Doubt) why() string {
	switch d {
	case DoubtCommand:
		return "Changed while commands of this agent and of another one ran: by one of them, or by somebody else."
	case DoubtWritten:
		return "Changed while a command of this agent ran, and written by another agent at that time."
	case DoubtCut:
		return "Changed by a command that ran when the program ended, or by somebody else until the program was started again."
	}
	return "Changed while a command ran, by the command or by somebody else."
}

// span is a command of a turn: when it ran, and the files that it names as written. Times are those
// of the log.
type span struct {
	dir    string
	fromMs int64
	toMs   int64 // 0: it has not ended
	writes []string
}

// doubt returns why a change of a path may not be the command's; "" if there is no doubt. by is the
// other notebook, if known.
func (c *Command) doubt(path string, after State) (d Doubt, by string) {
	s, own := c.turn.s, c.turn.t
	s.mu.Lock()
	defer s.mu.Unlock()
	named := names(c.writes, path, after)
	for _, t := range s.inOrder() {
		if t.Notebook == own.Notebook || t.Kind != kindTurn {
			continue
		}
		if x := t.last[path]; x != nil && x.command == 0 && x.atMs >= c.fromMs {
			return DoubtWritten, t.Notebook
		}
		for _, sp := range t.commands {
			beside := sp.toMs >= c.fromMs || sp.toMs == 0 && t.endMs == 0
			if beside && (!named || names(sp.writes, path, after)) {
				d, by = DoubtCommand, t.Notebook
			}
		}
	}
	switch {
	case d != "":
		return d, by
	case c.cut:
		return DoubtCut, ""
	case !named:
		return DoubtUnnamed, ""
	}
	return "", ""
}

// names reports whether a path is among those that a command writes. A folder that it names
// includes the files removed from it.
func names(writes []string, path string, after State) bool {
	return slices.ContainsFunc(writes, func(w string) bool {
		return path == w || after.Kind == Absent && strings.HasPrefix(path, w+string(filepath.Separator))
	})
}

// realNames returns paths as the work tree knows them: with the links of the folders on the way
// resolved, and with link targets in addition.
func realNames(writes []string) []string {
	var out []string
	for _, w := range writes {
		if p, _, err := place(w); err == nil {
			out = append(out, p)
		}
		if p, err := filepath.EvalSymlinks(w); err == nil {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
