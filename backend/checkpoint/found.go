package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"mutsumi/backend/git"
)

// find compares the work tree with its earlier state.
func (c *Command) find(ctx context.Context) ([]record, error) {
	now, err := c.repo.listing(ctx, false)
	if err != nil {
		return nil, err
	}
	var out []record
	if c.repo.head() != c.head {
		out = append(out, c.movedHead())
	}
	touched, uncertain := c.touched(now)
	return c.compare(ctx, touched, uncertain, out)
}

func (c *Command) movedHead() record {
	return record{Note: fmt.Sprintf("A command changed what is checked out in %s. Restoring puts files back, and leaves commits and branches as they are.", c.repo.top)}
}

// compare records the new states of the touched paths.
func (c *Command) compare(ctx context.Context, touched []string, uncertain int, out []record) ([]record, error) {
	s := c.turn.s
	if err := s.refresh(); err != nil { // what agents of other processes did in the meantime
		return out, err
	}
	if uncertain > 0 {
		out = append(out, record{Note: fmt.Sprintf("A command changed what git ignores in %s: %d files that were not read before may be changed, and are not restored.", c.repo.top, uncertain)})
	}
	var names []string
	for _, rel := range touched {
		if _, kept := c.states[rel]; !kept && c.tracked.tracked[rel] != "" {
			names = append(names, c.tracked.tracked[rel])
		}
	}
	blobs, err := c.repo.blobs(ctx, names, s.limits.File, s.limits.Command)
	if err != nil {
		return out, err
	}
	for _, rel := range touched {
		file := c.abs(rel)
		before, lost, err := c.before(rel, blobs)
		if err != nil {
			return out, err
		}
		after, _, err := readState(file, s.limits.File)
		if err != nil {
			return out, err
		}
		if was, ok := stampOf(file); lost && ok && was == c.files[rel] {
			continue // read only because it is young: there is no evidence of a change
		}
		if before.same(after) || c.written(file, after) {
			continue
		}
		if left, ok := c.leftByTool(file); ok {
			before, lost = left, false
		}
		if lost {
			out = append(out, record{Note: fmt.Sprintf("A command changed %s. What it was is not kept, so it cannot be restored.", file)})
		}
		doubt, by := c.doubt(file, after)
		out = append(out,
			record{Before: &entry{Path: file, State: before, Command: c.number}},
			record{After: &entry{Path: file, State: after, Doubt: doubt, By: by}})
	}
	return out, nil
}

// young reports whether a file changed since the command began, or so shortly before that its stamp
// would not show it.
func (c *Command) young(st stamp) bool { return st.changedNs >= c.startNs-clockTick }

// touched lists the files whose stamps changed. A file that existed but is seen for the first time
// was not made by the command.
func (c *Command) touched(now listing) (list []string, uncertain int) {
	ignores := false
	fresh := map[string]bool{}
	for rel := range c.files {
		st, ok := stampOf(c.abs(rel))
		other := !ok || st != c.files[rel]
		if !other && !c.young(st) {
			continue
		}
		list = append(list, rel)
		if path.Base(rel) == gitignore {
			had := c.ignores[rel]
			ignores = ignores || other || had == nil || !bytes.Equal(git.Small(c.abs(rel)), had)
		}
	}
	for _, rel := range slices.AppendSeq(slices.Clone(now.untracked), maps.Keys(now.tracked)) {
		if _, known := c.files[rel]; known {
			continue
		}
		if st, ok := stampOf(c.abs(rel)); ok && c.young(st) {
			fresh[rel] = true
			ignores = ignores || path.Base(rel) == gitignore
		}
	}
	for rel := range fresh {
		if _, wasTracked := c.tracked.tracked[rel]; ignores && !wasTracked && path.Base(rel) != gitignore {
			uncertain++
		} else {
			list = append(list, rel)
		}
	}
	slices.Sort(list)
	return list, uncertain
}

// before is the state of a path when the command began; lost means that its content is not known.
func (c *Command) before(rel string, blobs map[string][]byte) (state State, lost bool, err error) {
	if state, ok := c.states[rel]; ok {
		return state, state.large(), nil
	}
	st, there := c.files[rel]
	if !there {
		return absent, false, nil
	}
	content, ok := blobs[c.tracked.tracked[rel]]
	if st.mode&fs.ModeSymlink != 0 {
		return State{Kind: Link, Target: string(content)}, !ok, nil
	}
	if st.size == sizeUnknown {
		st.size = int64(len(content))
		if now := git.Small(c.abs(rel)); bytes.Contains(now, []byte("\r\n")) && !bytes.Contains(content, []byte("\r\n")) {
			ok = false // it may have had other line ends than git
		}
	}
	state = State{Kind: File, Mode: st.mode.Perm(), Size: st.size}
	if ok && int64(len(content)) != st.size { // git may have other line ends than the disk
		content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
		ok = int64(len(content)) == st.size
	}
	if !ok {
		state.ModNs = st.modNs
		return state, true, nil
	}
	state.Sum, err = c.turn.s.objects.put(content, false)
	return state, false, err
}

// written reports whether somebody else is known to have left a file in this
// state since the command began, or to be changing it: a tool of any agent, a
// person through the program, another command of this agent. Then it was not
// the command.
func (c *Command) written(path string, state State) bool {
	s := c.turn.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.turns {
		x := t.last[path]
		switch {
		case x == nil:
		case x.after == nil:
			if t.endMs == 0 {
				return true
			}
		case x.after.same(state) && x.atMs >= c.fromMs && (x.command == 0 || t == c.turn.t):
			return true
		}
	}
	return false
}

// leftByTool is the state in which a tool of the agent itself left a path while the command ran:
// the command's change begins there.
func (c *Command) leftByTool(path string) (State, bool) {
	s := c.turn.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := c.turn.t.last[path]; x != nil && x.after != nil && x.atMs >= c.fromMs {
		return *x.after, true
	}
	return State{}, false
}
