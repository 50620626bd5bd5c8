package workspace

import (
	"path/filepath"
	"slices"

	"mutsumi/backend/event"
	"mutsumi/backend/files"
	"mutsumi/backend/settings"
)

// ShowNotebook brings a notebook to the front of the window: at once, or with the first page if
// none has been loaded yet. The file is an absolute path, which may lead through other links than
// the folder's; it returns false if that is not a notebook of the folder.
func (w *Workspace) ShowNotebook(file string) bool {
	rel, err := filepath.Rel(w.folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		rel, err = filepath.Rel(files.Real(w.folder), filepath.Join(files.Real(filepath.Dir(file)), filepath.Base(file)))
	}
	if err != nil || !filepath.IsLocal(rel) || filepath.Ext(rel) != ".mtm" {
		return false
	}
	path, loaded := filepath.ToSlash(rel), false
	w.found.Do(func(f *found) {
		if loaded = f.loaded; !loaded {
			f.wanted = path
		}
	})
	if loaded {
		if w.registry.Summary(path).File == "" { // it may have been made a moment ago: the page shows what is in its list
			w.registry.FilesChanged(map[string]bool{path: true})
		}
		w.out.Emit(event.CellWanted{Path: path})
	}
	return true
}

// inFront puts a notebook in front of a window's tabs, in the active group; "" changes nothing.
func inFront(ui settings.UIState, path string) settings.UIState {
	if path == "" {
		return ui
	}
	if ui.Preview == settings.PreviewShown {
		ui.Preview = settings.PreviewOpen
	}
	if ui.Beside != nil && ui.Beside.Front {
		beside := *ui.Beside
		if !slices.Contains(beside.Tabs, path) {
			beside.Tabs = append(slices.Clone(beside.Tabs), path)
		}
		beside.Active = path
		ui.Beside = &beside
		return ui
	}
	if !slices.Contains(ui.Tabs, path) {
		ui.Tabs = append(slices.Clone(ui.Tabs), path)
	}
	ui.Active = path
	return ui
}
