package acp

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/lock"
)

// finder looks for programs. It starts nothing.
type finder struct {
	last lock.Guarded[findings]
}

// findings are what the finder found.
type findings struct {
	at     time.Time
	places []string
	known  map[string]found // by id
}

// found is a program of a known agent.
type found struct {
	program string // absolute
	start
}

// findAgain is how long findings count.
const findAgain = 5 * time.Second

// look returns which known agents are on this computer. It reads the disk at most once per
// findAgain, and holds no lock meanwhile.
func (f *finder) look() (l findings) {
	f.last.Do(func(last *findings) { l = *last })
	if !l.at.IsZero() && time.Since(l.at) < findAgain {
		return l
	}
	l = findings{at: time.Now(), places: places(), known: map[string]found{}}
	for _, k := range knownAgents {
		for _, s := range k.starts {
			if program := lookUp(s.program, l.places); program != "" {
				l.known[k.id] = found{program, s}
				break
			}
		}
	}
	f.last.Do(func(last *findings) { *last = l })
	return l
}

// lookUp returns the absolute path of a program in the PATH or one of the places; "": it is in
// none.
func lookUp(program string, places []string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(program, "~/") {
		program = filepath.Join(home, program[2:])
	}
	if path, err := exec.LookPath(program); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	if strings.ContainsAny(program, `/\`) {
		return ""
	}
	for _, dir := range places {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	return ""
}

// places are folders in which agents are installed and that are often missing from the PATH of a
// program that was not started in a terminal.
func places() (all []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	add := func(base string, parts ...string) {
		if base == "" {
			return
		}
		dir := filepath.Join(append([]string{base}, parts...)...)
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	for _, dir := range [][]string{
		{".local", "bin"}, {"bin"}, {".npm-global", "bin"}, {".bun", "bin"}, {".deno", "bin"}, {".cargo", "bin"}, {".volta", "bin"},
		{".opencode", "bin"}, {".local", "share", "pnpm"}, {"Library", "pnpm"}, {".local", "share", "fnm", "aliases", "default", "bin"},
	} {
		add(home, dir...)
	}
	if dir := nvm(home); dir != "" {
		add(dir, "bin")
	}
	if runtime.GOOS == "windows" {
		add(os.Getenv("APPDATA"), "npm")
		add(os.Getenv("LOCALAPPDATA"), "pnpm")
		return all
	}
	for _, dir := range []string{"/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin"} {
		add(dir)
	}
	return all
}

// nvm returns the folder of the version of Node that nvm uses in a new terminal; "": there is none.
func nvm(home string) string {
	base := os.Getenv("NVM_DIR")
	if base == "" && home != "" {
		base = filepath.Join(home, ".nvm")
	}
	all, err := filepath.Glob(filepath.Join(base, "versions", "node", "v*"))
	if base == "" || err != nil || len(all) == 0 {
		return ""
	}
	slices.SortFunc(all, func(a, b string) int { return compareVersions(filepath.Base(a), filepath.Base(b)) })
	alias, _ := os.ReadFile(filepath.Join(base, "alias", "default")) // a version, its beginning, or a name
	wanted := "v" + strings.TrimPrefix(strings.TrimSpace(string(alias)), "v")
	for _, dir := range slices.Backward(all) {
		if name := filepath.Base(dir); name == wanted || strings.HasPrefix(name, wanted+".") {
			return dir
		}
	}
	return all[len(all)-1]
}

// compareVersions compares names such as v20.1.0 number by number.
func compareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(version string) (all []int) {
	for _, part := range strings.Split(strings.TrimPrefix(version, "v"), ".") {
		n := 0
		for _, r := range part {
			if r < '0' || r > '9' || n > 1<<20 {
				break
			}
			n = 10*n + int(r-'0')
		}
		all = append(all, n)
	}
	return all
}

// searchPath returns a PATH in which an agent finds what it is made with: its own folder and the
// places come after the person's.
func searchPath(program string, places []string) string {
	have := filepath.SplitList(os.Getenv("PATH"))
	for _, dir := range append([]string{filepath.Dir(program)}, places...) {
		if !slices.Contains(have, dir) {
			have = append(have, dir)
		}
	}
	return strings.Join(have, string(filepath.ListSeparator))
}
