package notebook

import (
	"cmp"
	"encoding/json"
	"slices"

	"mutsumi/backend/chat"
)

// usageKey is where a notebook keeps its Tally in the metadata, so that a list
// of notebooks reads it without reading the answers.
const usageKey = "mutsumi_usage"

// Tally is what the answers of a notebook used: tokens for each model, without
// prices, which change. It is never changed once made.
type Tally struct {
	TimeMs int64        `json:"time_ms"`        // of all runs that have ended
	Models []ModelUsage `json:"models"`         // of the answers that stand in it, by name
	Past   []ModelUsage `json:"past,omitempty"` // of those that were put aside, taken back or deleted, by name
}

// After is the tally after the cells were changed, where before was the one
// before that: what answers used that are not there any more stays counted, and
// is not counted twice when one comes back (SPEC 7.5).
func (t *Tally) After(before *Tally) *Tally {
	left := map[string]ModelUsage{}
	for _, m := range slices.Concat(before.Past, before.Models) {
		left[m.Model] = m.plus(left[m.Model], 1)
	}
	for _, m := range t.Models {
		left[m.Model] = left[m.Model].plus(m, -1)
	}
	after := &Tally{TimeMs: t.TimeMs, Models: t.Models}
	for name, m := range left {
		m.Model, m.Usage, m.Runs = name, believable(m.Usage), max(m.Runs, 0)
		if m.Runs > 0 || m.Usage != (chat.Usage{Estimated: m.Estimated}) {
			after.Past = append(after.Past, m)
		}
	}
	slices.SortFunc(after.Past, func(a, b ModelUsage) int { return cmp.Compare(a.Model, b.Model) })
	after.Past = after.Past[:min(len(after.Past), mostModels)]
	return after
}

// plus adds o, sign times.
func (m ModelUsage) plus(o ModelUsage, sign int) ModelUsage {
	m.Runs += sign * o.Runs
	m.Input, m.Cached = m.Input+sign*o.Input, m.Cached+sign*o.Cached
	m.Output, m.Reasoning = m.Output+sign*o.Output, m.Reasoning+sign*o.Reasoning
	m.Estimated = m.Estimated || o.Estimated && sign > 0
	return m
}

// ModelUsage is what the runs with one model used.
type ModelUsage struct {
	Model string `json:"model"`
	Runs  int    `json:"runs"`
	chat.Usage
}

// Bounds of what is believed of a file: counts beyond them cannot overflow a sum.
const (
	mostTokens = 1 << 40
	mostTime   = int64(1) << 45
	mostModels = 1000
)

// Tally adds up the answers that are in the notebook now, with what it keeps of
// those that are not any more. Runs that are under
// way are left out; of one that the end of the program interrupted the
// requests that had ended count. It looks at every prompt.
func (d *Document) Tally() *Tally {
	byModel := map[string]*ModelUsage{}
	t := &Tally{}
	if kept := d.meta.tally(); kept != nil {
		t.Past = kept.Past
	}
	add := func(model string, runs int, usage chat.Usage) {
		m := byModel[model]
		if m == nil {
			if len(byModel) == mostModels {
				return
			}
			m = &ModelUsage{Model: model}
			byModel[model] = m
		}
		m.Runs += runs
		m.Usage = believable(m.Usage.Add(believable(usage)))
	}
	for _, c := range d.cells {
		if c.prompt == nil || d.running[c.id] != nil {
			continue
		}
		info := used(c)
		if info == nil {
			continue
		}
		t.TimeMs = min(t.TimeMs+min(max(info.TookMs, 0), mostTime), mostTime)
		if info.Usage == nil {
			continue
		}
		add(info.Model, 1, *info.Usage)
		for _, asked := range info.Asked {
			add(asked.Model, 0, asked.Usage)
		}
	}
	for _, m := range byModel {
		t.Models = append(t.Models, *m)
	}
	slices.SortFunc(t.Models, func(a, b ModelUsage) int { return cmp.Compare(a.Model, b.Model) })
	return t
}

// Used gives the run of a cell as Tally counts it, nil if there was none. The
// error is NotFound.
func (d *Document) Used(id string) (*RunInfo, error) {
	at, err := d.find(id)
	if err != nil || d.cells[at].prompt == nil {
		return nil, err
	}
	return used(d.cells[at]), nil
}

func used(c *cell) *RunInfo {
	info := readRun(c.prompt)
	if info != nil && info.Usage == nil {
		info.Usage, info.TookMs = usedBy(c.answer)
	}
	return info
}

// usedBy is what the messages of an answer say they used, nil if nothing.
func usedBy(answer []*message) (usage *chat.Usage, tookMs int64) {
	for _, m := range answer {
		var meta messageMeta
		decodeInto(get(m.raw(), "metadata"), &meta)
		tookMs = min(tookMs+min(max(meta.TookMs, 0), mostTime), mostTime)
		if meta.Usage == nil {
			continue
		}
		sum := believable(*meta.Usage)
		if usage != nil {
			sum = believable(usage.Add(sum))
		}
		usage = &sum
	}
	return usage, tookMs
}

func believable(u chat.Usage) chat.Usage {
	for _, n := range []*int{&u.Input, &u.Cached, &u.Output, &u.Reasoning} {
		*n = min(max(*n, 0), mostTokens)
	}
	return u
}

// KeepTally writes a tally into the metadata. It is no undo step: what it says
// can be made again from the cells at any time.
func (d *Document) KeepTally(t *Tally) {
	if len(t.Models)+len(t.Past) == 0 && t.TimeMs == 0 {
		d.setMeta(usageKey, nil)
		return
	}
	d.setMeta(usageKey, layout(t, metaDepth+1))
}

// KeepsTally reports whether the notebook carries a tally, which then has to
// follow what is done to its cells.
func (d *Document) KeepsTally() bool { return d.meta.get(usageKey) != nil }

// tally reads what the metadata say, nil where they say nothing. A file may
// say anything.
func (m *metadata) tally() *Tally {
	raw := m.get(usageKey)
	if !isObject(raw) {
		return nil
	}
	t := &Tally{}
	if json.Unmarshal(raw, t) != nil || len(t.Models) > mostModels || len(t.Past) > mostModels {
		return nil
	}
	t.TimeMs = min(max(t.TimeMs, 0), mostTime)
	for _, list := range [][]ModelUsage{t.Models, t.Past} {
		for i := range list {
			list[i].Usage = believable(list[i].Usage)
			list[i].Runs = min(max(list[i].Runs, 0), mostTokens)
		}
	}
	return t
}

// LastOutcome is how the last prompt that ran came out: "" for none and for
// one that is running, Interrupted where the program ended meanwhile.
func (d *Document) LastOutcome() Outcome {
	if info := d.LastRun(); info != nil {
		return info.Outcome
	}
	return ""
}

// LastRun returns what is known of the last prompt that ran, nil if nothing is.
func (d *Document) LastRun() *RunInfo {
	for _, c := range slices.Backward(d.cells) {
		if c.prompt == nil {
			continue
		}
		if info := d.runInfo(c); info != nil || len(c.answer) > 0 {
			return info
		}
	}
	return nil
}
