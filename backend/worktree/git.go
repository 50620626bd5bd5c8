package worktree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/git"
)

// cmdGrace is how long git has to end once it was told to.
const cmdGrace = 2 * time.Second

// repo runs git in a work tree. No hook runs, no filter, no merge driver and no
// monitor: a repository's configuration can name any program, and agents can
// write it.
type repo struct {
	program string
	dir     string
	off     []string // settings that are switched off, as "name=value"
}

// open looks for git and for what the configuration of the work tree at dir
// would run. The error is for a person.
func open(ctx context.Context, dir string) (repo, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return repo{}, fault.New(fault.NotFound, "a work tree needs git, which is not installed")
	}
	r := repo{program: program, dir: dir, off: []string{
		"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.attributesFile=" + os.DevNull, "core.quotePath=false",
		"gc.auto=0", "maintenance.auto=false", "commit.gpgSign=false", "submodule.recurse=false", "advice.detachedHead=false",
	}}
	names, err := r.run(ctx, nil, "config", "--list", "--name-only", "-z")
	if err != nil {
		return repo{}, fmt.Errorf("read the settings of the repository: %w", err)
	}
	for _, name := range strings.Split(names, "\x00") {
		section, _, _ := strings.Cut(strings.ToLower(name), ".")
		key := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
		switch {
		case section == "filter" && key == "required":
			r.off = append(r.off, name+"=false")
		case section == "filter":
			r.off = append(r.off, name+"=")
		case section == "merge" && key == "driver":
			r.off = append(r.off, name+"=false") // the program: what it would merge counts as a conflict
		}
	}
	return r, nil
}

// run runs git and gives what it printed. index, when not nil, is another
// index file to work on.
func (r repo) run(ctx context.Context, index *string, args ...string) (string, error) {
	out, _, err := r.try(ctx, index, args...)
	return out, err
}

// try is run that also tells the exit status of a git that ran and failed.
func (r repo) try(ctx context.Context, index *string, args ...string) (out string, status int, err error) {
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + os.DevNull, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_AUTHOR_NAME=Mutsumi", "GIT_AUTHOR_EMAIL=mutsumi@localhost", "GIT_COMMITTER_NAME=Mutsumi", "GIT_COMMITTER_EMAIL=mutsumi@localhost",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(r.off)),
	}
	for i, setting := range r.off {
		at := strings.LastIndexByte(setting, '=')
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, setting[:at]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, setting[at+1:]))
	}
	if index != nil {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+*index)
	}
	cmd.WaitDelay = cmdGrace
	return git.Run(ctx, cmd)
}

// line is run for an answer of one line.
func (r repo) line(ctx context.Context, index *string, args ...string) (string, error) {
	out, err := r.run(ctx, index, args...)
	return strings.TrimRight(out, "\r\n"), err
}

// snapshot makes a commit of everything in the work tree that git does not
// ignore, with parent as its parent, and returns its name. The index, the
// branch and the files stay as they are.
func (r repo) snapshot(ctx context.Context, parent, message string) (string, error) {
	dir, err := os.MkdirTemp("", "mutsumi-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	index := filepath.Join(dir, "index")
	if own, err := r.line(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "index"); err == nil {
		if b, err := os.ReadFile(own); err == nil { // what git knows of unchanged files saves reading them
			os.WriteFile(index, b, 0o600)
		}
	}
	for try := 0; ; try++ { // a file that is written or removed just now ends the whole of it
		if _, err = r.run(ctx, &index, "add", "--all", "--", "."); err == nil {
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

// blobs reads contents by their names, in their order.
func (r repo) blobs(ctx context.Context, names []string) ([][]byte, error) {
	out := make([][]byte, len(names))
	for i, name := range names {
		if strings.Trim(name, "0") == "" {
			continue // nothing stands there
		}
		content, err := r.run(ctx, nil, "cat-file", "blob", name)
		if err != nil {
			return nil, err
		}
		out[i] = []byte(content)
	}
	return out, nil
}
