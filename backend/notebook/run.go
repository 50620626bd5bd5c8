package notebook

import (
	"encoding/json"
	"slices"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/process"
)

// run is a run under way: the undo step that it becomes.
type run struct {
	step  *step
	begun RunInfo
}

// activeRuns is the runs under way, by the cell that they write into.
type activeRuns map[string]*run

// outcomeRunning is in the file while a run is in progress. If it is read without a run, the
// program ended during it.
const outcomeRunning Outcome = "running"

// runRecord is RunInfo as it is in the prompt's metadata.
type runRecord struct {
	StartedAt string       `json:"started_at,omitempty"`
	TookMs    int64        `json:"took_ms,omitempty"`
	Model     string       `json:"model,omitempty"`
	EarlierMs int64        `json:"earlier_ms,omitempty"`
	QueuedMs  int64        `json:"queued_ms,omitempty"`
	LostMs    int64        `json:"lost_ms,omitempty"`
	HeldMs    int64        `json:"held_ms,omitempty"`
	Outcome   Outcome      `json:"outcome,omitempty"`
	Fault     *fault.Error `json:"fault,omitempty"`
	Usage     *chat.Usage  `json:"usage,omitempty"`
	Requests  int          `json:"requests,omitempty"`
	Asked     []ModelUsage `json:"asked,omitempty"`
	Cache     *missRecord  `json:"cache_miss,omitempty"`
	Process   *process.ID  `json:"process,omitempty"`
}

func fileTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func (r RunInfo) encode() []byte {
	record := runRecord{TookMs: r.TookMs, EarlierMs: r.EarlierMs, Model: r.Model, QueuedMs: r.QueuedMs, LostMs: r.LostMs, HeldMs: r.HeldMs, Outcome: r.Outcome, Fault: r.Fault, Usage: r.Usage, Requests: r.Requests, Asked: r.Asked, Cache: recordOf(r.Cache)}
	if r.Outcome == outcomeRunning {
		record.Process = r.process
	}
	if r.StartedAtMs != 0 {
		record.StartedAt = fileTime(time.UnixMilli(r.StartedAtMs))
	}
	return layout(record, messageDepth+2)
}

// readRun returns the file's record of a prompt's run, nil if there is none.
func readRun(prompt *message) *RunInfo {
	raw := get(prompt.meta(), "run")
	if !isObject(raw) {
		return nil
	}
	var r runRecord
	decodeInto(raw, &r)
	info := &RunInfo{
		TookMs: r.TookMs, Model: r.Model, QueuedMs: min(max(0, r.QueuedMs), maxTime), LostMs: min(max(0, r.LostMs), maxTime),
		HeldMs: min(max(0, r.HeldMs), maxTime), EarlierMs: min(max(0, r.EarlierMs), maxTime),
		Outcome: r.Outcome, Fault: r.Fault, Usage: r.Usage, Requests: min(max(0, r.Requests), maxTokens), Asked: r.Asked[:min(len(r.Asked), maxModels)],
		Cache: r.Cache.miss(), process: r.Process,
	}
	if at, err := time.Parse(time.RFC3339, r.StartedAt); err == nil {
		info.StartedAtMs = at.UnixMilli()
	}
	return info
}

// info returns the record of a cell's run, nil if there is none. While the run is in progress its
// Outcome is "".
func (a activeRuns) info(c *cell) *RunInfo {
	info := readRun(c.prompt)
	switch {
	case info == nil || info.Outcome != outcomeRunning:
	case a[c.id] != nil:
		info.Outcome = ""
	default:
		info.Outcome = unended(info.process)
	}
	return info
}

// unended is the outcome of a run that has no end in the file: its process is
// at work, or it ended without writing one.
func unended(by *process.ID) Outcome {
	if by != nil && !by.IsSelf() && by.Lives() {
		return Elsewhere
	}
	return Interrupted
}

// RunsElsewhere returns the run that another process is at work on, nil when there is
// none.
func (d *Document) RunsElsewhere() *RunInfo {
	for _, c := range slices.Backward(d.cells.list) {
		if c.prompt == nil || d.running[c.id] != nil {
			continue
		}
		if info := d.running.info(c); info != nil && info.Outcome == Elsewhere {
			return info
		}
	}
	return nil
}

// RunInfo returns the record of a cell's run, nil if there is none. While the cell runs its Outcome
// is "". The error is NotFound.
func (d *Document) RunInfo(id string) (*RunInfo, error) {
	at, err := d.cells.find(id)
	if err != nil || d.cells.list[at].prompt == nil {
		return nil, err
	}
	return d.running.info(d.cells.list[at]), nil
}

// Running reports whether a run writes into the cell.
func (d *Document) Running(id string) bool { return d.running[id] != nil }

// BeginRun clears a prompt's answer and opens a run that writes a new one; the old answer is put
// aside as a branch. Until EndRun, edits of the cell are refused; then the whole run is one undo
// step. info.Outcome is ignored; info's process is in the file until the run ends. Errors:
// NotFound; Invalid for a cell without a prompt; Conflict if it runs.
func (d *Document) BeginRun(id string, info RunInfo) (Change, error) {
	return d.open(id, info, "run", func(t *tx, at int) *cell { return t.putAside(at, false) })
}

// ContinueRun opens a run that continues after the messages the answer has.
func (d *Document) ContinueRun(id string, info RunInfo) (Change, error) {
	return d.open(id, info, "continue", func(_ *tx, at int) *cell {
		c := *d.cells.list[at]
		c.rev = d.cells.nextRev()
		return &c
	})
}

func (d *Document) open(id string, info RunInfo, name string, start func(*tx, int) *cell) (Change, error) {
	at, err := d.cells.find(id)
	if err != nil {
		return Change{}, err
	}
	if d.cells.list[at].role() != chat.User {
		return Change{}, fault.New(fault.Invalid, "only a prompt can be run")
	}
	if d.running[id] != nil {
		return Change{}, errRunning()
	}
	if info.StartedAtMs == 0 {
		info.StartedAtMs = d.now().UnixMilli()
	}
	info.Outcome = outcomeRunning
	t := d.begin()
	c := start(t, at)
	c.prompt = c.prompt.withMeta("cell_id", jsontext.AppendString(nil, id)).withMeta("run", info.encode()).withMeta(keyDraft, nil)
	if err := t.splice(at, 1, c); err != nil {
		return Change{}, err
	}
	if string(d.meta.get("is_task_finished")) == "true" {
		t.setMeta("is_task_finished", []byte("false"))
	}
	d.running[id] = &run{step: t.step, begun: info}
	return t.commit(name), nil
}

// PutMessage sets message index of the answer that a run writes, or appends it if index is the
// number of messages. It is cheap enough to be called with every piece of a growing message.
// Errors: NotFound; Conflict if the cell is not running; Invalid for an index beyond the end or a
// message that cannot be part of an answer, such as a user message after another message that the
// program did not add.
func (d *Document) PutMessage(id string, index int, m Message) error {
	at, err := d.cells.find(id)
	if err != nil {
		return err
	}
	c := *d.cells.list[at]
	switch {
	case d.running[id] == nil:
		return fault.New(fault.Conflict, "no run is under way in this cell")
	case index < 0 || index > len(c.answer):
		return fault.New(fault.Invalid, "message %d cannot be put into an answer of %d", index, len(c.answer))
	case m.Role == chat.System, m.Role == chat.User && (!m.Internal || index == 0):
		return fault.New(fault.Invalid, "a %s message cannot be part of an answer here", m.Role)
	}
	if index == len(c.answer) {
		c.answer = append(c.answer[:index:index], m.encode())
	} else {
		c.answer = slices.Clone(c.answer)
		c.answer[index] = m.encode()
	}
	c.rev = d.cells.nextRev()
	d.cells.list[at] = &c
	d.rev++
	return nil
}

// EndRun closes a run. Where info lacks start, duration, model or queue, the values of BeginRun and
// the clock are used. A TaskDone marks the notebook as finished (SPEC 1.6). Errors: NotFound;
// Conflict if no run is in progress.
func (d *Document) EndRun(id string, info RunInfo) (Change, error) {
	r := d.running[id]
	if r == nil {
		return Change{}, fault.New(fault.Conflict, "no run is under way in this cell")
	}
	at, err := d.cells.find(id)
	if err != nil {
		return Change{}, err
	}
	if info.StartedAtMs == 0 {
		info.StartedAtMs = r.begun.StartedAtMs
	}
	if info.TookMs == 0 {
		info.TookMs = max(0, d.now().UnixMilli()-info.StartedAtMs)
	}
	if info.Model == "" {
		info.Model = r.begun.Model
	}
	if info.QueuedMs == 0 {
		info.QueuedMs = r.begun.QueuedMs
	}
	if info.Outcome == "" || info.Outcome == outcomeRunning {
		info.Outcome = Done
	}
	delete(d.running, id)
	c := *d.cells.list[at]
	c.rev = d.cells.nextRev()
	c.prompt = c.prompt.withMeta("run", info.encode())
	c.answer = slices.Clone(c.answer)
	for i, m := range c.answer {
		c.answer[i] = m.materialized()
	}
	t := d.begin()
	t.put(at, 1, []*cell{&c})
	if info.Outcome == TaskDone && string(d.meta.get("is_task_finished")) != "true" {
		before, was := d.meta.set("is_task_finished", []byte("true"), -1)
		r.step.metas = append(r.step.metas, metaChange{"is_task_finished", before, []byte("true"), was})
	}
	last := &r.step.splices[len(r.step.splices)-1]
	last.new = []*cell{&c}
	d.history.resize(r.step)
	d.rev++
	return t.change(), nil
}

// resize measures a step of the history again.
func (h *history) resize(s *step) {
	if slices.Contains(h.undo, s) {
		h.size -= s.size
		s.measure()
		h.size += s.size
	}
}
func finishOf(answer []*message) (text string, finished bool) {
	for _, m := range slices.Backward(answer) {
		if m.role != chat.Assistant {
			continue
		}
		for _, call := range decodeCalls(get(m.raw(), "tool_calls")) {
			if name := call.Function.Name; name == "task_finish" || name == "finish_task" {
				return finishText(call.Function.Arguments, m), true
			}
		}
		return "", false
	}
	return "", false
}

// finishText returns the argument that carries the report, or the text of the message.
func finishText(arguments string, m *message) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) == nil {
		for _, key := range []string{"summary", "report", "result", "message", "context", "text", "content"} {
			if s, ok := args[key].(string); ok && s != "" {
				return s
			}
		}
		for _, v := range args {
			if s, ok := v.(string); ok && len(args) == 1 {
				return s
			}
		}
	}
	return m.decode().Content.String()
}
