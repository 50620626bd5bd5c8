package checkpoint

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/git"
)

// repo is a git work tree, looked at through a git folder of our own: the
// repository's configuration is not read, since it can name programs to run
// (fsmonitor, filters) and an agent can write it. Nothing is written to the
// repository, its index or its refs.
type repo struct {
	program string // git
	top     string // of the work tree
	dir     string // of the repository
	objects string
	empty   string // the git folder of our own
}

// findRepo looks for the work tree that a folder is in. The error is for a person.
func findRepo(dir, empty string) (repo, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return repo{}, errors.New("git is not installed")
	}
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return repo{}, err
	}
	r := repo{program: program, empty: empty}
	for {
		at := filepath.Join(top, ".git")
		if info, err := os.Stat(at); err == nil {
			if !info.IsDir() {
				if at = pointer(at, "gitdir: ", top); at == "" {
					return repo{}, errors.New("its .git file is not understood")
				}
			}
			r.top, r.dir = top, at
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return repo{}, errors.New("the folder is in no git work tree")
		}
		top = up
	}
	common := r.dir
	if p := pointer(filepath.Join(r.dir, "commondir"), "", r.dir); p != "" {
		common = p
	}
	r.objects = filepath.Join(common, "objects")
	return r, r.prepare()
}

// pointer reads a small file that holds a path.
func pointer(file, prefix, base string) string {
	b := small(file)
	p, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	if !ok || p == "" {
		return ""
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return p
}

// small reads a file of a repository of which only a few bytes are of interest;
// what is no such file gives none.
func small(path string) []byte {
	f, err := open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4096 {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return nil
	}
	return b
}

// prepare makes the git folder of our own.
func (r repo) prepare() error {
	if err := os.MkdirAll(filepath.Join(r.empty, "refs"), 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"} {
		path := filepath.Join(r.empty, name)
		if b, err := os.ReadFile(path); err == nil && string(b) == text {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (r repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Dir = r.top
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"GIT_DIR=" + r.empty, "GIT_WORK_TREE=" + r.top, "GIT_INDEX_FILE=" + filepath.Join(r.dir, "index"), "GIT_OBJECT_DIRECTORY=" + r.objects,
		"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
	}
	cmd.WaitDelay = cmdGrace
	return cmd
}

// list runs git and gives its answer, cut at NULs.
func (r repo) list(ctx context.Context, args ...string) ([]string, error) {
	out, _, err := git.Run(ctx, r.command(ctx, args...))
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// listing is what git knows of a work tree. Paths are relative, with slashes.
type listing struct {
	tracked   map[string]string // the name of the content in the index
	links     map[string]bool   // of those: symbolic links
	changed   []string          // tracked, and not as in the index; or not there
	untracked []string          // and not ignored
	nested    []string          // repositories inside, which are not looked into
}

func (r repo) listing(ctx context.Context, changed bool) (l listing, err error) {
	l = listing{tracked: map[string]string{}, links: map[string]bool{}}
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
		default:
			l.tracked[path] = f[1]
			if f[0] == "120000" {
				l.links[path] = true
			}
		}
	}
	if changed {
		if l.changed, err = r.list(ctx, "ls-files", "-m", "-z"); err != nil {
			return l, err
		}
	}
	others := []string{"ls-files", "-o", "-z", "--exclude-standard"}
	if exclude := filepath.Join(filepath.Dir(r.objects), "info", "exclude"); exists(exclude) {
		others = append(others, "--exclude-from="+exclude)
	}
	found, err := r.list(ctx, others...)
	for _, path := range found {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			l.nested = append(l.nested, dir)
		} else {
			l.untracked = append(l.untracked, path)
		}
	}
	return l, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// head tells one commit that is checked out from another.
func (r repo) head() string {
	b := small(filepath.Join(r.dir, "HEAD"))
	size := int64(0)
	if info, err := os.Stat(filepath.Join(r.dir, "logs", "HEAD")); err == nil {
		size = info.Size()
	}
	return fmt.Sprint(string(b), size)
}

// blobs reads contents by their names in git, as far as left bytes go; what is
// larger, or not there, is left out.
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
		b := make([]byte, size+1) // a line break stands behind it
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
