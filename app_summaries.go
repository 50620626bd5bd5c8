package main

import "mutsumi/backend/summaries"

// Compaction says what a summary of the conversation would do now.
func (a *App) Compaction(path string) (result summaries.Offer, err error) {
	defer recovered(&err)
	return a.ws.Compaction(path)
}

// Compact begins to make a summary of the earlier cells; an event reports when it is ready.
func (a *App) Compact(path string, w summaries.Wanted) (err error) {
	defer recovered(&err)
	return a.ws.Compact(path, w)
}

// StopCompaction stops what Compact began.
func (a *App) StopCompaction(path string) (err error) {
	defer recovered(&err)
	return a.ws.StopCompaction(path)
}

// SwitchSummary switches a summary off or on.
func (a *App) SwitchSummary(path, cell string, on bool) (err error) {
	defer recovered(&err)
	return a.ws.SwitchSummary(path, cell, on)
}

// SummaryDetails says what a summary leaves out of the cells it covers.
func (a *App) SummaryDetails(path, cell string) (result summaries.Details, err error) {
	defer recovered(&err)
	return a.ws.SummaryDetails(path, cell)
}

// PinInSummary adds lines to a summary word for word, or removes them.
func (a *App) PinInSummary(path, cell string, texts []string, on bool) (err error) {
	defer recovered(&err)
	return a.ws.PinInSummary(path, cell, texts, on)
}

// MarkCell pins a cell, so that no summary covers it, or mutes it for models.
func (a *App) MarkCell(path, cell, mark string, on bool) (err error) {
	defer recovered(&err)
	return a.ws.MarkCell(path, cell, mark, on)
}

// MuteResult leaves the result of a call out of requests, or sends it again.
func (a *App) MuteResult(path, cell, call string, on bool) (err error) {
	defer recovered(&err)
	return a.ws.MuteResult(path, cell, call, on)
}

// PinResult keeps the result of a call in requests in full, or unpins it.
func (a *App) PinResult(path, cell, call string, on bool) (err error) {
	defer recovered(&err)
	return a.ws.PinResult(path, cell, call, on)
}
