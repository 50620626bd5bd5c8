package prompt

import "strings"

// replays reports whether an earlier prompt's block is sent again. A block is only text in a file:
// in an untrusted folder its rules must not apply, and a damaged one could hide the following text.
func (b *build) replays(turn *HistoryMessage) bool {
	block := turn.Sent.Block
	if b.in.Placement != Versioned || !b.in.Trusted || block == "" {
		return false
	}
	return strings.HasPrefix(block, blockOpen) && strings.HasSuffix(block, blockClose) &&
		strings.Count(block, "<") == 2 && strings.Count(block, ">") == 2
}

// ruleEnded takes a rule back that an earlier block set.
const ruleEnded = "(this rule no longer applies)"

// dropKnown removes entries whose current version is in the replayed blocks, and numbers the rest.
// A version that is no longer in any block is sent again in full.
func (b *build) dropKnown() {
	known := map[string]SentEntry{}
	b.lastTurn, b.again = map[string]int{}, map[string]bool{}
	var rules []string
	for i := range b.in.History {
		turn := &b.in.History[i]
		if !b.replays(turn) {
			continue
		}
		for _, e := range turn.Sent.Entries {
			if _, ok := known[e.ID]; !ok && strings.HasPrefix(e.ID, string(KindRule)+":") {
				rules = append(rules, e.ID)
			}
			known[e.ID] = e
			b.lastTurn[e.ID] = i
		}
	}
	for _, id := range rules {
		if _, here := b.rules.get(id); !here {
			b.rules.put(&entry{kind: KindRule, key: strings.TrimPrefix(id, string(KindRule)+":"), content: ruleEnded, sum: sum(ruleEnded), note: noteEnded})
		}
	}
	for _, s := range b.entrySets() {
		kept := s.list[:0:0]
		for _, e := range s.list {
			last := known[e.id()]
			if last.SHA256 == e.sum {
				continue
			}
			e.version, e.state = last.Version+1, StateNew
			if last.Version > 0 {
				e.state = StateChanged
			}
			b.again[e.id()] = true
			kept = append(kept, e)
		}
		s.list, s.byID = kept, nil
	}
}

// recordBlock stores the block for the prompt's message.
func (b *build) recordBlock(blk *block) {
	if blk == nil {
		return
	}
	b.res.Sent.Block = blk.text() // it finds the spans too
	for _, s := range blk.spans {
		b.res.Sent.Entries = append(b.res.Sent.Entries, SentEntry{
			ID: s.entry.id(), Version: s.entry.version, SHA256: s.entry.sum, Start: s.start, End: s.end,
		})
	}
}

// replayedParts adds the parts of a replayed block.
func (b *build) replayedParts(i, piece, start int) {
	turn := &b.in.History[i]
	block := turn.Sent.Block
	at := len(b.res.Messages) - 1
	frame := Part{
		ID: "frame:content_reference", Kind: KindFrame, Source: "content_reference", Bytes: len(block), Cell: turn.Cell,
		Message: at, Piece: piece, Start: start, End: start + len(block),
	}
	var between strings.Builder
	end := 0
	for _, e := range turn.Sent.Entries {
		if e.Start < end || e.End < e.Start || e.End > len(block) {
			continue // not as it was written: the frame covers it
		}
		between.WriteString(block[end:e.Start])
		end = e.End
		kind, source, _ := strings.Cut(e.ID, ":")
		if Kind(kind) == KindTool {
			source, _, _ = strings.Cut(source, "{")
		}
		p := Part{
			ID: e.ID, Kind: Kind(kind), Source: source, Cell: turn.Cell, Bytes: e.End - e.Start,
			Message: at, Piece: piece, Start: start + e.Start, End: start + e.End, Version: e.Version, State: StateSame,
		}
		if b.lastTurn[e.ID] != i || b.again[e.ID] {
			p.State = StateOld
		}
		b.tokens(&p, block[e.Start:e.End])
		frame.Bytes -= p.Bytes
		b.part(p)
	}
	between.WriteString(block[end:])
	b.tokens(&frame, between.String())
	b.part(frame)
}
