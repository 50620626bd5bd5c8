package workspace

import (
	"testing"

	"mutsumi/backend/settings"
)

// A notebook that is asked for by name is seen: what will be sent keeps its tab, behind it.
func TestWantedNotebookIsInFront(t *testing.T) {
	ui := settings.UIState{Tabs: []string{"a.mtm"}, Active: "a.mtm", Preview: settings.PreviewShown}
	if got := inFront(ui, ""); got.Preview != settings.PreviewShown {
		t.Errorf("without a notebook: %+v", got)
	}
	if got := inFront(ui, "b.mtm"); got.Active != "b.mtm" || got.Preview != settings.PreviewOpen {
		t.Errorf("with one: %+v", got)
	}
	if ui.Active != "a.mtm" || ui.Preview != settings.PreviewShown {
		t.Errorf("the kept state was changed: %+v", ui)
	}
}
