package catalog

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"mutsumi/backend/documents"
	"mutsumi/backend/language"
	"mutsumi/backend/settings"
)

// KeepSample marks the notebooks that equal those of the program's sample, byte for byte, as made
// by this program, so that the person is not asked to trust them. They stay marked after later
// changes.
func KeepSample(sample fs.FS, folder string, reg *documents.Registry, rights *settings.Rights) {
	made := sync.OnceValue(rights.AllMade) // of other folders it is not read
	for _, tree := range language.Trees(sample) {
		fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !documents.IsNotebook(path) {
				return nil
			}
			h := reg.Summary(path)
			agent := settings.Agent{File: path, UUID: h.UUID}
			if h.File == "" || made()[agent] {
				return nil
			}
			text, err := fs.ReadFile(tree, path)
			if err != nil {
				return nil
			}
			if got, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path))); err == nil && bytes.Equal(got, text) {
				rights.KeepMade(agent, nil) // if this fails, the person is asked
			}
			return nil
		})
	}
}
