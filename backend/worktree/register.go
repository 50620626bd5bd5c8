package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mutsumi/backend/git"
)

// registered returns the name under which a repository knows the work tree at a
// folder; "": it does not.
func registered(common, folder string) string {
	names, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		return ""
	}
	for _, e := range names {
		at := strings.TrimRight(string(git.Small(filepath.Join(common, "worktrees", e.Name(), "gitdir"))), "\r\n")
		if filepath.Clean(filepath.FromSlash(at)) == filepath.Join(folder, ".git") {
			return e.Name()
		}
	}
	return ""
}

// register makes a work tree known to its repository, and gives git's folder of
// it. A sparse checkout is one there too.
func (r repo) register(p State) (dir string, err error) {
	common, err := os.OpenRoot(r.own.Common) // no link leads out of it
	if err != nil {
		return "", err
	}
	defer common.Close()
	if err := common.MkdirAll("worktrees", 0o755); err != nil {
		return "", err
	}
	name := ""
	for n := 0; ; n++ {
		name = path.Join("worktrees", strings.ReplaceAll(p.Branch, "/", "-"))
		if n > 0 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if err = common.Mkdir(name, 0o755); err == nil {
			break
		} else if !errors.Is(err, fs.ErrExist) || n > 1000 {
			return "", err
		}
	}
	files := map[string]string{
		"gitdir": filepath.ToSlash(filepath.Join(p.Folder, ".git")) + "\n", "commondir": "../..\n", "HEAD": "ref: refs/heads/" + p.Branch + "\n",
	}
	if patterns := r.own.Sparse(r.settings); patterns != nil {
		files["info/sparse-checkout"] = string(patterns)
		cone := r.settings["core.sparsecheckoutcone"] != "false"
		files["config.worktree"] = "[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = " + fmt.Sprint(cone) + "\n"
	}
	for file, text := range files {
		file = path.Join(name, file)
		if err := common.MkdirAll(path.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := common.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	dir = filepath.Join(r.own.Common, filepath.FromSlash(name))
	return dir, os.WriteFile(filepath.Join(p.Folder, ".git"), []byte("gitdir: "+filepath.ToSlash(dir)+"\n"), 0o644)
}

// unregister makes a repository forget a work tree, and the work on its branch.
func (r repo) unregister(p State) error {
	common, err := os.OpenRoot(r.own.Common)
	if err != nil {
		return err
	}
	defer common.Close()
	_ = common.Remove(path.Join("logs/refs/heads", p.Branch)) // it may never have been
	name := registered(r.own.Common, p.Folder)
	if name == "" {
		return nil
	}
	if err := common.RemoveAll(path.Join("worktrees", name)); err != nil {
		return err
	}
	_ = common.Remove("worktrees") // unless there are more
	return nil
}
