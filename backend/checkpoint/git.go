package checkpoint

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/git"
)

// repo is a git work tree, read through a git folder of our own. Nothing
// is written to the repository, its index or its refs.
type repo struct {
	*git.Folder
	top   string // of the work tree
	dir   string // of the repository
	index string
}

// findRepo finds the work tree of a folder. The error is for a person.
func findRepo(dir, own string) (repo, error) {
	where, err := git.Find(dir)
	if err != nil {
		return repo{}, err
	}
	var format map[string]string
	if where.SHA256() {
		own, format = own+"-sha256", map[string]string{"extensions.objectformat": "sha256"}
	}
	f, err := where.Open(own, format)
	if err != nil {
		return repo{}, err
	}
	return repo{f, where.Top, where.Dir, filepath.Join(where.Dir, "index")}, nil
}

// command makes a git command on the index of the work tree. The person's global ignore rules apply
// here too.
func (r repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := r.Command(ctx, args...)
	cmd.WaitDelay = cmdGrace
	cmd.Env = append(cmd.Env, "HOME="+os.Getenv("HOME"), "XDG_CONFIG_HOME="+os.Getenv("XDG_CONFIG_HOME"), "GIT_INDEX_FILE="+r.index)
	return cmd
}

// list runs git and returns its answer, cut at NULs.
func (r repo) list(ctx context.Context, args ...string) ([]string, error) {
	out, _, err := git.Run(ctx, r.command(ctx, args...))
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// listing is git's listing of a work tree, without skipped paths (see skips). Paths are relative,
// with slashes.
type listing struct {
	tracked   map[string]string // the name of the content in the index
	modes     map[string]string // of those: as the index has them, "100755"
	changed   []string          // tracked, and not as in the index; or not there
	untracked []string          // and not ignored
	nested    []string          // repositories inside, which are not looked into
}

func (r repo) listing(ctx context.Context, changed bool) (l listing, err error) {
	l = listing{tracked: map[string]string{}, modes: map[string]string{}}
	all, err := r.list(ctx, "ls-files", "-s", "-z")
	if err != nil {
		return l, err
	}
	for _, line := range all {
		head, path, ok := strings.Cut(line, "\t") // "100644 0123... 0"
		f := strings.Fields(head)
		switch {
		case !ok || len(f) != 3:
			return l, fmt.Errorf("git listed %q", line)
		case f[0] == "160000":
			l.nested = append(l.nested, path)
		case !skips(path):
			l.tracked[path], l.modes[path] = f[1], f[0]
		}
	}
	if changed {
		if l.changed, err = r.list(ctx, "ls-files", "-m", "-z"); err != nil {
			return l, err
		}
		l.changed = slices.DeleteFunc(l.changed, skips)
	}
	others := []string{"ls-files", "-o", "-z", "--exclude-standard"}
	if exclude := filepath.Join(r.Common, "info", "exclude"); exists(exclude) {
		others = append(others, "--exclude-from="+exclude)
	}
	found, err := r.list(ctx, others...)
	for _, path := range found {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			l.nested = append(l.nested, dir)
		} else if !skips(path) {
			l.untracked = append(l.untracked, path)
		}
	}
	return l, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// head identifies the commit that is checked out.
func (r repo) head() string {
	b := git.Small(filepath.Join(r.dir, "HEAD"))
	size := int64(0)
	if info, err := os.Stat(filepath.Join(r.dir, "logs", "HEAD")); err == nil {
		size = info.Size()
	}
	return fmt.Sprint(string(b), size)
}

// blobs reads contents by their names in git, up to left bytes in total; it omits larger and
// missing ones.
func (r repo) blobs(ctx context.Context, names []string, most, left int64) (map[string][]byte, error) {
	if len(names) == 0 {
		return nil, nil
	}
	cmd := r.command(ctx, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(names))
	in := bufio.NewReaderSize(pipe, 1<<16)
	for range names {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		var name, kind string
		var size int64
		if n, _ := fmt.Sscan(line, &name, &kind, &size); n != 3 {
			continue // "0123... missing"
		}
		if kind != "blob" || size > most || size > left {
			if _, err := io.CopyN(io.Discard, in, size+1); err != nil {
				break
			}
			continue
		}
		b := make([]byte, size+1) // a line break follows
		if _, err := io.ReadFull(in, b); err != nil {
			break
		}
		left -= size
		out[name] = b[:size]
	}
	_, _ = io.Copy(io.Discard, in)
	if err := cmd.Wait(); err != nil && ctx.Err() != nil {
		return out, fault.New(fault.Canceled, "git took too long")
	}
	return out, nil
}
