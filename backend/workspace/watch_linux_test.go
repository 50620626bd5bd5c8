package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const withoutEnv = "MUTSUMI_TEST_WITHOUT"

// The system has no inotify instances, or no watches, left: the folder opens,
// says so once, and what other programs do is seen all the same. The limits are
// those of a user namespace, in which this test runs once more.
func TestAFolderIsFollowedWithoutWatches(t *testing.T) {
	if limit := os.Getenv(withoutEnv); limit != "" {
		if err := os.WriteFile(filepath.Join("/proc/sys/user", limit), []byte("0"), 0o644); err != nil {
			t.Fatal(err)
		}
		followedByLooking(t)
		return
	}
	for _, limit := range []string{"max_inotify_instances", "max_inotify_watches"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestAFolderIsFollowedWithoutWatches$", "-test.v")
			cmd.Env = append(os.Environ(), withoutEnv+"="+limit)
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func followedByLooking(t *testing.T) {
	d := open(t, "", "")
	v, err := d.Snapshot()
	if err != nil || len(v.Notices) != 1 || !strings.Contains(v.Notices[0], "watches") {
		t.Errorf("told is %q, %v", v.Notices, err)
	}
	d.write("a.mtm", notebookText("a", "A"))
	d.untilTree("A")
	if _, err := d.Notebook("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.write("a.mtm", notebookText("a", "Changed"))
	d.until(is("notebookReloaded"))
	d.write(".mutsumi/rules/r.md", "be kind")
	d.until(func(e item) bool { return e.Type == "contextChanged" && e.Data["rules"] == true })
	file := filepath.Join(os.Getenv("MUTSUMI_CONFIG"), "settings.yaml")
	if err := os.WriteFile(file, []byte("preferences: {theme: dark}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.until(is("settingsChanged"))
	if v, err := d.Snapshot(); err != nil || len(v.Notices) != 1 {
		t.Errorf("told are %q, %v", v.Notices, err)
	}
}
