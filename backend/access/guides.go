package access

import (
	"context"
	"maps"
	"slices"

	"mutsumi/backend/rules"
)

// FindGuides searches the folders below for AGENTS.md files, which trust then covers as well.
func (t *Trust) FindGuides(ctx context.Context) { t.AddGuides(rules.NestedGuides(ctx, t.folder)) }

// AddGuides adds AGENTS.md files of folders below that were found, by their paths (relative,
// with slashes).
func (t *Trust) AddGuides(paths []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.guides == nil {
		t.guides = map[string]bool{}
	}
	for _, path := range paths {
		t.guides[path] = true
	}
}

// brought returns the files that could take effect, as hashes by path.
func (t *Trust) brought() map[string]string {
	t.mu.Lock()
	guides := slices.Sorted(maps.Keys(t.guides))
	t.mu.Unlock()
	return t.brings.of(t.folder, guides)
}
