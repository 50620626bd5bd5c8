package prompt

import "strings"

// Prune removes from the blocks of a conversation's prompts, in order, every entry that a later
// block replaces: "prune outdated". The result is for the same messages; unchanged blocks are
// returned as they are.
func Prune(sent []Sent) []Sent {
	last := map[string]int{}
	for i, s := range sent {
		for _, e := range s.Entries {
			last[e.ID] = i
		}
	}
	return rewrite(sent, func(i int, e SentEntry) bool { return last[e.ID] == i })
}

// Forget removes one entry, named by its Part.ID, from all blocks: "remove this file". A prompt
// that refers to it restores it in the next request, unless it is in Meta.ContextOff.
func Forget(sent []Sent, id string) []Sent {
	return rewrite(sent, func(_ int, e SentEntry) bool { return e.ID != id })
}

func rewrite(sent []Sent, keep func(int, SentEntry) bool) []Sent {
	out := make([]Sent, len(sent))
	for i, s := range sent {
		out[i] = s.only(func(e SentEntry) bool { return keep(i, e) })
	}
	return out
}

// only makes the block again out of the items to keep.
func (s Sent) only(keep func(SentEntry) bool) Sent {
	var kept []SentEntry
	for _, e := range s.Entries {
		if keep(e) && e.Start >= 0 && e.Start <= e.End && e.End <= len(s.Block) {
			kept = append(kept, e)
		}
	}
	if len(kept) == len(s.Entries) {
		return s
	}
	before := s.Block
	s.Block, s.Entries = "", nil
	if len(kept) == 0 {
		return s
	}
	blk := &block{}
	var rules, files []*entry
	list := func(kind Kind) {
		first := true
		for _, e := range kept {
			of, key, _ := strings.Cut(e.ID, ":")
			switch Kind(of) { // the texts of skills are among the rules, resources among the files
			case KindSkill:
				of = string(KindRule)
			case KindResource:
				of = string(KindFile)
			}
			if Kind(of) != kind {
				continue
			}
			if !first {
				blk.raw(",")
			}
			first = false
			raw := before[e.Start:e.End]
			known := &entry{key: key, version: e.Version}
			blk.entry(known, func() { blk.raw(raw) })
			s.Entries = append(s.Entries, e)
			switch kind {
			case KindRule:
				rules = append(rules, known)
			case KindFile:
				files = append(files, known)
			}
		}
	}
	blk.raw(blockOpen + `{"rules":[`)
	list(KindRule)
	blk.raw(`],"files":{`)
	list(KindFile)
	blk.raw(`},"tools":[`)
	list(KindTool)
	blk.raw("]")
	blk.versions(rules, files)
	blk.raw("}" + blockClose)
	s.Block = blk.text()
	for i, at := range blk.spans {
		s.Entries[i].Start, s.Entries[i].End = at.start, at.end
	}
	return s
}
