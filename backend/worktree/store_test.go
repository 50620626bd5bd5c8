package worktree

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A child shares its parent's work tree, a discarded one is forgotten by all that shared it, and
// another folder's store knows nothing of it.
func TestAssignments(t *testing.T) {
	dir := repository(t, map[string]string{"sub/a.txt": "one\n"})
	state := t.TempDir()
	s := NewStore(state, dir)
	ctx := context.Background()
	if err := s.Make(ctx, "root", "parent-uuid", "Über Tests & more!"); err != nil {
		t.Fatal(err)
	}
	if err := s.Share("parent-uuid", "child-uuid"); err != nil {
		t.Fatal(err)
	}
	if err := s.Share("child-uuid", "grandchild"); err != nil {
		t.Fatal(err)
	}
	if err := s.Share("root", "other"); err != nil {
		t.Fatal(err)
	}
	a, own := s.Of("parent-uuid")
	if !own || a.Shared() || a.Branch != "mutsumi/ber-tests-more-parent-u" || a.Name != "Über Tests & more!" {
		t.Errorf("assigned %+v", a)
	}
	if c, ok := s.Of("grandchild"); !ok || c.Owner != "parent-uuid" || c.Folder != a.Folder {
		t.Errorf("the grandchild is assigned %+v", c)
	}
	if _, ok := s.Of("other"); ok {
		t.Error("a child of an agent without a work tree has one")
	}
	for _, odd := range []string{"", ".", "..", "../x", "a/b", filepath.Join(state, "parent-uuid")} {
		if _, ok := s.Of(odd); ok {
			t.Errorf("%q names an assignment", odd)
		}
	}
	if _, ok := NewStore(state, t.TempDir()).Of("parent-uuid"); ok {
		t.Error("another folder has the assignment")
	}
	all, err := s.All()
	if err != nil || len(all) != 3 {
		t.Errorf("%d assignments, %v", len(all), err)
	}
	if err := s.Do(func(e *Exclusive) error { return e.Discard(ctx, "parent-uuid", a) }); err != nil {
		t.Fatal(err)
	}
	if all, err = s.All(); err != nil || len(all) != 0 {
		t.Errorf("left behind: %v, %v", all, err)
	}
}

func TestTranslate(t *testing.T) {
	a := Assignment{State: State{Folder: "/trees/x", Prefix: "sub"}, Workspace: "/home/me/repo/sub"}
	got := a.Translate([]string{"/home/me/repo/sub", "/home/me/repo/sub/docs", "/home/me", "/etc"})
	want := []string{"/trees/x/sub", "/trees/x/sub/docs", "/trees/x/sub"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s, want %s", strings.Join(got, " "), strings.Join(want, " "))
	}
}
