package notebook

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"mutsumi/backend/chat"
)

// usageKey is where a notebook keeps its Tally in the metadata, so that a list
// of notebooks reads it without reading the answers.
const usageKey = "mutsumi_usage"

// Tally is the usage of a notebook's answers: tokens for each model, without prices, which change.
// It is immutable.
type Tally struct {
	TimeMs int64        `json:"time_ms"`        // of all runs that have ended
	Models []ModelUsage `json:"models"`         // of the answers that are in it, by name
	Past   []ModelUsage `json:"past,omitempty"` // of answers that were put aside, undone or deleted, by name

	// Deleted is the part of Past that deleted agents used, by uuid. It is
	// subtracted when one of them comes back.
	Deleted map[string][]ModelUsage `json:"deleted,omitempty"`
}

// After is the tally after the cells were changed, where before was the one
// before that: what answers used that are gone stays counted, and
// is not counted twice when one comes back (SPEC 7.5).
func (t *Tally) After(before *Tally) *Tally {
	left := map[string]ModelUsage{}
	for _, m := range slices.Concat(before.Past, before.Models) {
		left[m.Model] = m.plus(left[m.Model], 1)
	}
	for _, m := range t.Models {
		left[m.Model] = left[m.Model].plus(m, -1)
	}
	after := &Tally{TimeMs: t.TimeMs, Models: t.Models, Deleted: before.Deleted}
	for name, m := range left {
		m.Model, m.Usage, m.Requests = name, believable(m.Usage), max(m.Requests, 0)
		if m.Requests > 0 || m.Usage != (chat.Usage{Estimated: m.Estimated}) {
			after.Past = append(after.Past, m)
		}
	}
	slices.SortFunc(after.Past, func(a, b ModelUsage) int { return cmp.Compare(a.Model, b.Model) })
	after.Past = after.Past[:min(len(after.Past), maxModels)]
	return after
}

// With returns the tally plus the usage of a request that is not a part of an answer.
func (t *Tally) With(m ModelUsage) *Tally {
	with := &Tally{TimeMs: t.TimeMs, Models: t.Models, Past: slices.Clone(t.Past), Deleted: t.Deleted}
	at, found := slices.BinarySearchFunc(with.Past, m.Model, func(p ModelUsage, name string) int { return cmp.Compare(p.Model, name) })
	switch {
	case found:
		with.Past[at] = with.Past[at].plus(m, 1)
		with.Past[at].Usage = believable(with.Past[at].Usage)
	case len(with.Past) < maxModels:
		with.Past = slices.Insert(with.Past, at, m)
	}
	return with
}

// WithDeleted returns the tally plus the usage of a deleted agent; uuid is "" if it could not be
// recognised when restored.
func (t *Tally) WithDeleted(uuid string, used []ModelUsage) *Tally {
	with := t
	for _, m := range used {
		with = with.With(m)
	}
	if uuid == "" || with == t || len(t.Deleted) >= maxModels {
		return with
	}
	with.Deleted = map[string][]ModelUsage{}
	maps.Copy(with.Deleted, t.Deleted)
	with.Deleted[uuid] = used
	return with
}

// WithRestored returns the tally without the usage of a deleted agent that was restored.
func (t *Tally) WithRestored(uuid string) *Tally {
	used, there := t.Deleted[uuid]
	if !there {
		return t
	}
	with := &Tally{TimeMs: t.TimeMs, Models: t.Models, Deleted: maps.Clone(t.Deleted)}
	delete(with.Deleted, uuid)
	for _, p := range t.Past {
		for _, m := range used {
			if m.Model == p.Model {
				p = p.plus(m, -1)
			}
		}
		p.Usage, p.Requests = believable(p.Usage), max(p.Requests, 0)
		if p.Requests > 0 || p.Usage != (chat.Usage{Estimated: p.Estimated}) {
			with.Past = append(with.Past, p)
		}
	}
	return with
}

// plus adds o, sign times.
func (m ModelUsage) plus(o ModelUsage, sign int) ModelUsage {
	m.Requests += sign * o.Requests
	m.Input, m.Cached = m.Input+sign*o.Input, m.Cached+sign*o.Cached
	m.Output, m.Reasoning = m.Output+sign*o.Output, m.Reasoning+sign*o.Reasoning
	m.Micros += sign * o.Micros
	m.Estimated = m.Estimated || o.Estimated && sign > 0
	return m
}

// ModelUsage is the usage of the requests to one model.
type ModelUsage struct {
	Model    string `json:"model"`
	Requests int    `json:"runs"` // in older files an answer counts as one
	chat.Usage
}

// Limits for values from a file, so that counts cannot overflow a sum.
const (
	maxTokens = 1 << 40
	maxTime   = int64(1) << 45
	maxModels = 1000
)

// Tally adds up the present answers of the notebook and the recorded usage of removed ones. Runs in
// progress are omitted; of a run that the end of the program interrupted, the finished requests
// count. It looks at every prompt.
func (d *Document) Tally() *Tally {
	byModel := map[string]*ModelUsage{}
	t := &Tally{}
	if kept := d.meta.tally(); kept != nil {
		t.Past, t.Deleted = kept.Past, kept.Deleted
	}
	add := func(model string, requests int, usage chat.Usage) {
		m := byModel[model]
		if m == nil {
			if len(byModel) == maxModels {
				return
			}
			m = &ModelUsage{Model: model}
			byModel[model] = m
		}
		m.Requests = min(m.Requests+min(max(requests, 0), maxTokens), maxTokens)
		m.Usage = believable(m.Usage.Add(believable(usage)))
	}
	for _, c := range d.cells.list {
		if c.prompt == nil || d.running[c.id] != nil {
			continue
		}
		info := used(c)
		if info == nil {
			continue
		}
		t.TimeMs = min(t.TimeMs+info.WorkedMs(), maxTime)
		if info.Usage == nil {
			continue
		}
		add(info.Model, info.Count(), *info.Usage)
		for _, asked := range info.Asked {
			add(asked.Model, asked.Requests, asked.Usage)
		}
	}
	for _, m := range byModel {
		t.Models = append(t.Models, *m)
	}
	slices.SortFunc(t.Models, func(a, b ModelUsage) int { return cmp.Compare(a.Model, b.Model) })
	return t
}

// Used returns the run of a cell as Tally counts it, nil if there was none. The error is NotFound.
func (d *Document) Used(id string) (*RunInfo, error) {
	at, err := d.cells.find(id)
	if err != nil || d.cells.list[at].prompt == nil {
		return nil, err
	}
	return used(d.cells.list[at]), nil
}

func used(c *cell) *RunInfo {
	info := readRun(c.prompt)
	if info != nil && info.Usage == nil {
		info.Usage, info.Requests, info.TookMs = usedBy(c.answer)
	}
	return info
}

// usedBy returns the usage recorded in the messages of an answer, nil if there is none.
func usedBy(answer []*message) (usage *chat.Usage, requests int, tookMs int64) {
	for _, m := range answer {
		var meta messageMeta
		decodeInto(get(m.raw(), "metadata"), &meta)
		tookMs = min(tookMs+min(max(meta.TookMs, 0), maxTime), maxTime)
		if meta.Usage == nil {
			continue
		}
		sum := believable(*meta.Usage)
		if usage != nil {
			sum = believable(usage.Add(sum))
		}
		usage = &sum
		requests++
	}
	return usage, requests, tookMs
}

func believable(u chat.Usage) chat.Usage {
	for _, n := range []*int{&u.Input, &u.Cached, &u.Output, &u.Reasoning, &u.Micros} {
		*n = min(max(*n, 0), maxTokens)
	}
	return u
}

// KeepTally writes a tally into the metadata. It makes no undo step: the tally can be computed from
// the cells at any time.
func (d *Document) KeepTally(t *Tally) {
	if len(t.Models)+len(t.Past) == 0 && t.TimeMs == 0 {
		d.setMeta(usageKey, nil)
		return
	}
	d.setMeta(usageKey, layout(t, metaDepth+1))
}

// KeepsTally reports whether the notebook contains a tally, which then has to follow changes to its
// cells.
func (d *Document) KeepsTally() bool { return d.meta.get(usageKey) != nil }

// tally reads the tally in the metadata, nil if there is none. A file may contain anything.
func (m *metadata) tally() *Tally {
	raw := m.get(usageKey)
	if !isObject(raw) {
		return nil
	}
	t := &Tally{}
	if json.Unmarshal(raw, t) != nil || len(t.Models) > maxModels || len(t.Past) > maxModels {
		return nil
	}
	t.TimeMs = min(max(t.TimeMs, 0), maxTime)
	if len(t.Deleted) > maxModels {
		t.Deleted = nil
	}
	for _, list := range append(slices.Collect(maps.Values(t.Deleted)), t.Models, t.Past) {
		for i := range list {
			list[i].Usage = believable(list[i].Usage)
			list[i].Requests = min(max(list[i].Requests, 0), maxTokens)
		}
	}
	return t
}

// LastOutcome is the outcome of the last prompt that ran: "" if there is none or it is running,
// Interrupted if the program ended during it.
func (d *Document) LastOutcome() Outcome {
	if info := d.LastRun(); info != nil {
		return info.Outcome
	}
	return ""
}

// LastRun returns the record of the last prompt that ran, nil if there is none.
func (d *Document) LastRun() *RunInfo {
	for _, c := range slices.Backward(d.cells.list) {
		if c.prompt == nil {
			continue
		}
		if info := d.running.info(c); info != nil || len(c.answer) > 0 {
			return info
		}
	}
	return nil
}
