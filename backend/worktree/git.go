package worktree

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/git"
)

// repo runs git in a work tree, through a git folder of our own: no hook runs, no filter, no merge
// driver and no monitor, and nothing is fetched. A repository's configuration can name any program,
// and agents can write it.
//
// So files that a filter stores elsewhere (Git LFS) are git's pointers in a work tree that is made
// here; a changed file is merged as it is. Files for a merge driver are merged as text.
type repo struct {
	own      *git.Folder
	settings map[string]string // of the repository, only harmless ones
	dir      string            // the top of the work tree
	index    string            // what git knows of its files
}

// open finds the repository of a folder. done removes what it made. The error is for a person.
func open(ctx context.Context, dir string) (r repo, done func(), err error) {
	none := func() {}
	if _, err := exec.LookPath("git"); err != nil {
		return r, none, fault.New(fault.NotFound, "a work tree needs git, which is not installed")
	}
	where, err := git.Find(dir)
	if err != nil {
		return r, none, fault.New(fault.Invalid, "%s is in no git work tree (%w): an agent can have a work tree of its own only in one", dir, err)
	}
	temp, err := os.MkdirTemp("", "mutsumi-git-")
	if err != nil {
		return r, none, err
	}
	done = func() { os.RemoveAll(temp) }
	if r.own, err = where.Open(filepath.Join(temp, "git"), nil); err == nil {
		r.settings, err = r.own.Whole(ctx)
	}
	if err != nil {
		done()
		return r, none, err
	}
	r.dir, r.index = where.Top, filepath.Join(where.Dir, "index")
	return r, done, nil
}

// in is the same repository in another work tree.
func (r repo) in(p State) repo {
	r.dir, r.index = p.Folder, ""
	if name := registered(r.own.Common, p.Folder); name != "" {
		r.index = filepath.Join(r.own.Common, "worktrees", name, "index")
	}
	return r
}

// run runs git and returns its output. index, if not nil, is another index file to work on.
func (r repo) run(ctx context.Context, index *string, args ...string) (string, error) {
	out, _, err := r.try(ctx, index, nil, args...)
	return out, err
}

// try is run that also returns the exit status of a failed git, and passes it input.
func (r repo) try(ctx context.Context, index *string, in io.Reader, args ...string) (out string, status int, err error) {
	cmd := r.own.Command(ctx, args...)
	cmd.Dir, cmd.Stdin = r.dir, in
	cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+r.dir)
	if index != nil {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+*index)
	}
	return git.Run(ctx, cmd)
}

// line is run for a one-line output.
func (r repo) line(ctx context.Context, index *string, args ...string) (string, error) {
	out, err := r.run(ctx, index, args...)
	return strings.TrimRight(out, "\r\n"), err
}

// snapshot makes a commit of everything in the work tree that git does not
// ignore, with parent as its parent, and returns its name. The index, the
// branch and the files stay as they are. Repositories inside are left alone:
// git would go by their settings.
func (r repo) snapshot(ctx context.Context, parent, message string) (string, error) {
	index := filepath.Join(r.own.Path, "index")
	if err := r.borrowIndex(index); err != nil {
		return "", err
	}
	defer os.Remove(index)
	for try := 0; ; try++ { // a file that is being written or removed makes it fail
		err := r.gather(ctx, &index)
		if err == nil {
			break
		}
		if try == 2 {
			return "", err
		}
	}
	tree, err := r.line(ctx, &index, "write-tree")
	if err != nil {
		return "", err
	}
	if same, err := r.line(ctx, nil, "rev-parse", "--verify", "--quiet", parent+"^{tree}"); err == nil && same == tree {
		return parent, nil
	}
	return r.line(ctx, nil, "commit-tree", tree, "-p", parent, "-m", message)
}

// gather updates an index to the content of the work tree.
func (r repo) gather(ctx context.Context, index *string) error {
	found, err := r.run(ctx, index, "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	staged, err := r.run(ctx, index, "ls-files", "-z", "--stage")
	if err != nil {
		return err
	}
	nested := map[string]bool{}
	for _, line := range strings.Split(staged, "\x00") { // "160000 0123... 0\tpath"
		if head, path, ok := strings.Cut(line, "\t"); ok && strings.HasPrefix(head, "160000 ") {
			nested[path] = true
		}
	}
	var paths strings.Builder
	for _, path := range strings.Split(found, "\x00") {
		if path != "" && !nested[path] && !strings.HasSuffix(path, "/") {
			paths.WriteString(path + "\x00")
		}
	}
	_, _, err = r.try(ctx, index, strings.NewReader(paths.String()), "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	return err
}

// borrowIndex copies the index of the work tree, as old as it is: what git knows
// of unchanged files saves reading them.
func (r repo) borrowIndex(to string) error {
	if r.index == "" {
		return nil
	}
	from := map[string]string{r.index: to}
	shared, err := filepath.Glob(filepath.Join(filepath.Dir(r.index), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, path := range shared { // an index may be kept in two parts
		from[path] = filepath.Join(r.own.Path, filepath.Base(path))
	}
	for path, to := range from {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if err := os.WriteFile(to, b, 0o600); err != nil {
			return err
		}
		// Git compares the time of the index to detect files that changed in the moment they were
		// checked out, and have to be read. A younger copy would hide that.
		if err := os.Chtimes(to, time.Time{}, info.ModTime()); err != nil {
			return err
		}
	}
	return nil
}

// asTheyStand returns a tree like that of a commit, but with the work tree's versions of changed
// files that have a filter: the commit contains git's pointers, which cannot be restored. Without
// such files it is the commit itself.
func (r repo) asTheyStand(ctx context.Context, commit string, changes []Change) (string, error) {
	var paths strings.Builder
	for _, c := range changes {
		if c.Before != nil && !c.Symlink {
			paths.WriteString(c.Path + "\x00")
		}
	}
	out, _, err := r.try(ctx, nil, strings.NewReader(paths.String()), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return "", err
	}
	var filtered strings.Builder
	for f := strings.Split(out, "\x00"); len(f) > 3; f = f[3:] { // path, "filter", value
		if f[2] != "unspecified" && f[2] != "unset" {
			filtered.WriteString(f[0] + "\x00")
		}
	}
	if filtered.Len() == 0 {
		return commit, nil
	}
	index := filepath.Join(r.own.Path, "index")
	defer os.Remove(index)
	if _, err := r.run(ctx, &index, "read-tree", commit); err != nil {
		return "", err
	}
	if _, _, err := r.try(ctx, &index, strings.NewReader(filtered.String()), "update-index", "--add", "--remove", "-z", "--stdin"); err != nil {
		return "", err
	}
	return r.line(ctx, &index, "write-tree")
}

// blobs reads contents by their names, in their order.
func (r repo) blobs(ctx context.Context, names []string) ([][]byte, error) {
	out := make([][]byte, len(names))
	for i, name := range names {
		if strings.Trim(name, "0") == "" {
			continue // it does not exist
		}
		content, err := r.run(ctx, nil, "cat-file", "blob", name)
		if err != nil {
			return nil, err
		}
		out[i] = []byte(content)
	}
	return out, nil
}
