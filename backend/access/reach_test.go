package access_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mutsumi/backend/access"
	"mutsumi/backend/settings"
	"mutsumi/backend/worktree"
)

// family is the notebooks of a folder, by uuid.
type family map[string]access.Notebook

func (f family) Notebook(path string) (n access.Notebook, err error) {
	for _, x := range f {
		if x.Path == path {
			n = x
		}
	}
	return n, nil
}

func (f family) Holder(uuid string) (access.Notebook, bool) {
	n, there := f[uuid]
	return n, there
}

func (f family) Identify(string) error { return nil }

func (f family) ChangeEntries(path string, change func([]string) ([]string, error)) error {
	n, _ := f.Notebook(path)
	entries, err := change(n.Entries)
	if err == nil {
		n.Entries = entries
		f[n.UUID] = n
	}
	return err
}

func (f family) Revoked(path string) (settings.Agent, *access.Revoked, error) {
	n, err := f.Notebook(path)
	return settings.Agent{File: n.Path, UUID: n.UUID}, new(access.Revoked), err
}

// A place that the person allowed an agent applies to that agent alone, to a child only if all its
// ancestors have it, and to no agent once the folder is not trusted.
func TestAnAgentReachesWhatItWasGivenAndNoMoreThanAllAboveIt(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MUTSUMI_STATE", t.TempDir())
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rights := store.Rights(folder)
	f := family{
		"top":   {Path: "top.mtm", UUID: "top", Entries: []string{"sub"}},
		"child": {Path: "child.mtm", UUID: "child", ParentID: "top", Entries: []string{".", outside}},
		"other": {Path: "other.mtm", UUID: "other", Entries: []string{".", outside}},
	}
	trust := access.NewTrust(folder, store, nil, false, func() bool { return false })
	a := access.New(folder, store, rights, trust, worktree.NewStore(t.TempDir(), folder), f)

	if err := a.Allow("top.mtm", outside); err != nil {
		t.Fatal(err)
	}
	is := func(of string, want ...string) {
		t.Helper()
		if got := a.Of(f[of]).Folders; !slices.Equal(got, want) {
			t.Errorf("%s reaches %q, want %q", of, got, want)
		}
	}
	sub := filepath.Join(folder, "sub")
	is("top", sub, outside)
	is("child", sub) // it names the place, but was not given it
	is("other", folder)
	if err := a.Allow("child.mtm", outside); err != nil {
		t.Fatal(err)
	}
	is("child", outside, sub)
	if err := a.Disallow("top.mtm", outside); err != nil {
		t.Fatal(err)
	}
	is("child", sub) // which its parent no longer has
	if err := a.Allow("child.mtm", outside); err == nil {
		t.Error("a child was given more than its parent has")
	}
	if err := a.Allow("top.mtm", outside); err != nil {
		t.Fatal(err)
	}
	if err := trust.Set(false); err != nil {
		t.Fatal(err)
	}
	is("top", sub)
}
