package fork

import (
	"slices"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
)

// State is the state of a child, in words for its parent.
type State string

// The states. All but Working are final until somebody acts.
const (
	Working     State = "working" // or queued
	Finished    State = "finished"
	Silent      State = "ended without task_finish"
	Failed      State = "failed"
	Stopped     State = "stopped by the person"
	Dropped     State = "stopped by the person before it began"
	OverBudget  State = "stopped: its budget is spent"
	Limited     State = "stopped at its limit of steps"
	Interrupted State = "interrupted by the end of the program"
	Deleted     State = "deleted"
)

// Outcome is a child's result for its parent.
type Outcome struct {
	Child
	State State
	Why   string        // the reason of a failure
	Text  string        // its report, otherwise its last text
	Took  time.Duration // that all its runs took
}

// SetLastWords fills in a child's last text and how long it worked.
func (o *Outcome) SetLastWords(nb *notebook.Document) { o.Text, o.Took = LastWords(nb), workTime(nb) }

// SetEnded fills in the state of a child that neither runs nor is queued in this
// process.
func (o *Outcome) SetEnded(nb *notebook.Document) {
	o.SetLastWords(nb)
	cell, info := LastRun(nb)
	o.State = Silent
	switch meta := nb.Meta(); {
	case cell == "":
		o.State = Dropped
	case info == nil || info.Outcome == notebook.Done:
		if meta.Finished {
			o.State = Finished
		}
	case info.Outcome == notebook.TaskDone:
		o.State, o.Text = Finished, meta.FinishText
	case info.Outcome == notebook.Stopped && info.Fault != nil:
		o.State = OverBudget
	case info.Outcome == notebook.Stopped && info.Model == "":
		o.State = Dropped
	case info.Outcome == notebook.Stopped:
		o.State = Stopped
	case info.Outcome == notebook.StepLimit:
		o.State = Limited
	case info.Outcome == notebook.Elsewhere:
		o.State = Working
	case info.Outcome == notebook.Interrupted:
		o.State = Interrupted
	default:
		o.State = Failed
	}
	if info != nil && info.Fault != nil {
		o.Why = info.Fault.Message
	}
}

// LastRun returns the lowest cell that ran, with the record of its run; "": none ran.
func LastRun(nb *notebook.Document) (cell string, info *notebook.RunInfo) {
	for _, id := range slices.Backward(nb.CellIDs()) {
		head, err := nb.Head(id)
		if err != nil {
			continue
		}
		if info, err = nb.RunInfo(id); err == nil && (info != nil || head.Messages > 0) {
			return id, info
		}
	}
	return "", nil
}

// LastWords returns the last text of the last answer, "" if there is none.
func LastWords(nb *notebook.Document) string {
	cell, _ := LastRun(nb)
	if cell == "" {
		return ""
	}
	answer, err := nb.Answer(cell)
	if err != nil {
		return ""
	}
	for _, m := range slices.Backward(answer) {
		if text := strings.TrimSpace(m.Content.String()); m.Role == chat.Assistant && text != "" {
			return text
		}
	}
	return ""
}

// workTime returns how long all runs of a notebook took.
func workTime(nb *notebook.Document) (all time.Duration) {
	for _, id := range nb.CellIDs() {
		if info, err := nb.RunInfo(id); err == nil && info != nil {
			all += time.Duration(info.WorkedMs()) * time.Millisecond
		}
	}
	return all
}
