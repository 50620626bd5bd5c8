package builtin

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// keeps reports that commands can have a keeper here, see RunSandbox.
const keeps = true

// killTree ends the descendants of a process, whatever groups and sessions they moved to, and all
// others that carry the command's mark: it repeats until none is left, since new ones may start in
// the meantime. The process itself is left to the caller; 0 means none.
func (p *process) killTree(pid int) {
	want := []byte(taskMark + "=" + p.mark + "\x00")
	for range 50 {
		found := 0
		parents := processes()
		for child := range parents {
			if child == pid || child == os.Getpid() {
				continue
			}
			if pid > 0 && descends(parents, child, pid) || carries(child, want) {
				if syscall.Kill(child, syscall.SIGKILL) == nil {
					found++
				}
			}
		}
		if found == 0 {
			return
		}
	}
}

// processes lists the processes with their parents, without zombies.
func processes() map[int]int {
	out := map[int]int{}
	dir, err := os.Open("/proc")
	if err != nil {
		return out
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return out
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// "12 (name) S 1 ...": the name may hold anything, so from the last bracket.
		i := bytes.LastIndexByte(stat, ')')
		if i < 0 {
			continue
		}
		f := strings.Fields(string(stat[i+1:]))
		if len(f) < 2 || f[0] == "Z" || f[0] == "X" {
			continue
		}
		if parent, err := strconv.Atoi(f[1]); err == nil {
			out[pid] = parent
		}
	}
	return out
}

func descends(parents map[int]int, pid, from int) bool {
	for range 1000 {
		parent, ok := parents[pid]
		if !ok || parent <= 1 {
			return false
		}
		if parent == from {
			return true
		}
		pid = parent
	}
	return false
}

func carries(pid int, want []byte) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, want)
}
