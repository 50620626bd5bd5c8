package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/lazyregexp"
)

// grace is how long git has to exit after it was asked to.
const grace = 2 * time.Second

// Folder is a git folder of our own on a repository: the repository's contents with our
// configuration. The repository's configuration, and the files it includes, are not read: it can
// name programs to run (filters, hooks, monitors, remotes for missing objects), and agents can
// write it.
type Folder struct {
	Repository
	Path    string
	program string
}

// settings are all that git uses. Everything that names a program is off, even if git would ignore
// it.
var settings = map[string]map[string]string{
	"core":        {"bare": "false", "hooksPath": os.DevNull, "fsmonitor": "false", "attributesFile": os.DevNull, "quotePath": "false", "logAllRefUpdates": "false"},
	"gc":          {"auto": "0"},
	"maintenance": {"auto": "false"},
	"protocol":    {"allow": "never"},
	"submodule":   {"recurse": "false"},
	"commit":      {"gpgSign": "false"},
	"advice":      {"detachedHead": "false"},
}

// Open opens our git folder at a path, and creates it if necessary, with some settings in addition
// to ours. The error is for a person if git is not installed.
func (r Repository) Open(path string, more map[string]string) (*Folder, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("git is not installed")
	}
	f := &Folder{Repository: r, Path: path, program: program}
	if err := os.MkdirAll(filepath.Join(path, "refs"), 0o700); err != nil {
		return nil, err
	}
	if err := f.Put("HEAD", "ref: refs/heads/none\n"); err != nil {
		return nil, err
	}
	return f, f.Configure(more)
}

// Put writes a file of the folder, unless it holds that already.
func (f *Folder) Put(name, text string) error {
	path := filepath.Join(f.Path, name)
	if b, err := os.ReadFile(path); err == nil && string(b) == text {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// Configure writes the settings: ours, and those of a repository that only describe how its files
// and contents are written (Settings).
func (f *Folder) Configure(more map[string]string) error {
	all := map[string]map[string]string{}
	for section, of := range settings {
		all[section] = maps.Clone(of)
	}
	version := "0"
	for name, value := range more {
		section, key, _ := strings.Cut(name, ".")
		if section == "extensions" {
			version = "1"
		}
		if all[section] == nil {
			all[section] = map[string]string{}
		}
		all[section][key] = value
	}
	all["core"]["repositoryformatversion"] = version
	var b strings.Builder
	for _, section := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "[%s]\n", section)
		for _, key := range slices.Sorted(maps.Keys(all[section])) {
			fmt.Fprintf(&b, "\t%s = %s\n", key, all[section][key])
		}
	}
	return f.Put("config", b.String())
}

// harmless are the settings of a repository that are taken over: how line ends,
// modes and names are kept, and in which format. Their values are words.
var (
	harmless  = lazyregexp.New(`^(core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|sharedrepository|bigfilethreshold|sparsecheckout|sparsecheckoutcone)|extensions\.(objectformat|refstorage))$`)
	plainWord = lazyregexp.New(`^[A-Za-z0-9]{1,16}$`)
)

// Settings reads the repository's harmless settings. Git reads them as a text: includes are not
// followed.
func (f *Folder) Settings(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, file := range []string{filepath.Join(f.Common, "config"), filepath.Join(f.Dir, "config.worktree")} {
		text := upTo(file, 1<<20)
		if text == nil {
			continue
		}
		cmd := f.Command(ctx, "config", "--file", "-", "--no-includes", "--list", "-z")
		cmd.Stdin = strings.NewReader(string(text))
		list, _, err := Run(ctx, cmd)
		if err != nil {
			return nil, fmt.Errorf("read the settings of the repository: %w", err)
		}
		for _, entry := range strings.Split(list, "\x00") {
			name, value, valued := strings.Cut(entry, "\n")
			if !valued { // "name" alone is true
				value = "true"
			}
			if harmless.MatchString(name) && plainWord.MatchString(value) {
				out[name] = strings.ToLower(value)
			}
		}
	}
	return out, nil
}

// Sparse returns the patterns of a sparse checkout, nil if there is none.
func (f *Folder) Sparse(settings map[string]string) []byte {
	if settings["core.sparsecheckout"] != "true" {
		return nil
	}
	return upTo(filepath.Join(f.Dir, "info", "sparse-checkout"), 4<<20)
}

// Whole makes the folder represent the repository for making commits and branches: its branches are
// those of the repository.
func (f *Folder) Whole(ctx context.Context) (map[string]string, error) {
	settings, err := f.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.Configure(settings); err != nil {
		return nil, err
	}
	files := map[string]string{"info/exclude": "", "info/attributes": "", "info/sparse-checkout": string(f.Sparse(settings))}
	for _, name := range []string{"info/exclude", "info/attributes"} {
		files[name] = string(upTo(filepath.Join(f.Common, filepath.FromSlash(name)), 1<<20))
	}
	if head := f.Head(); head != "" {
		files["HEAD"] = head + "\n"
	}
	if shallow := upTo(filepath.Join(f.Common, "shallow"), 16<<20); len(shallow) > 0 {
		files["shallow"] = string(shallow)
	}
	for name, text := range files {
		if err := f.Put(name, text); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(filepath.Join(f.Path, "refs")); err != nil {
		return nil, err
	}
	for _, name := range []string{"refs", "packed-refs", "reftable"} {
		if err := link(filepath.Join(f.Common, name), filepath.Join(f.Path, name)); err != nil {
			return nil, fmt.Errorf("reach the branches of the repository: %w", err)
		}
	}
	return settings, nil
}

// Command makes a git command that works in the top of the work tree and uses only this folder: it
// asks nobody, fetches nothing and starts no program. A git process in a submodule uses the
// submodule's settings, so settings that can name programs are in its environment too.
func (f *Folder) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, f.program, args...)
	cmd.Dir = f.Top
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + os.DevNull, "LC_ALL=C",
		"GIT_DIR=" + f.Path, "GIT_WORK_TREE=" + f.Top, "GIT_OBJECT_DIRECTORY=" + f.Objects(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_ASKPASS=false", "GIT_SSH_COMMAND=false",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=" + os.DevNull,
		"GIT_CONFIG_KEY_2=protocol.allow", "GIT_CONFIG_VALUE_2=never",
		"GIT_AUTHOR_NAME=Mutsumi", "GIT_AUTHOR_EMAIL=mutsumi@localhost", "GIT_COMMITTER_NAME=Mutsumi", "GIT_COMMITTER_EMAIL=mutsumi@localhost",
	}
	cmd.WaitDelay = grace
	return cmd
}
