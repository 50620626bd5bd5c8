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

// Tally is what the answers that stand in a notebook used: tokens for each
// model, without prices, which change. It is never changed once made.
type Tally struct {
	TimeMs int64        `json:"time_ms"` // of all runs that have ended
	Models []ModelUsage `json:"models"`  // by name
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

// Tally adds up the answers that are in the notebook now. Runs that are under
// way are left out; of one that the end of the program interrupted the
// requests that had ended count. It looks at every prompt.
func (d *Document) Tally() *Tally {
	byModel := map[string]*ModelUsage{}
	t := &Tally{}
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
	if len(t.Models) == 0 && t.TimeMs == 0 {
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
	if json.Unmarshal(raw, t) != nil || len(t.Models) > mostModels {
		return nil
	}
	t.TimeMs = min(max(t.TimeMs, 0), mostTime)
	for i := range t.Models {
		t.Models[i].Usage = believable(t.Models[i].Usage)
		t.Models[i].Runs = min(max(t.Models[i].Runs, 0), mostTokens)
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
