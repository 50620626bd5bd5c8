package workspace_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/files/filestest"
	"mutsumi/backend/fswatch"
)

const withoutEnv = "MUTSUMI_TEST_WITHOUT"

// When the system has no inotify instances or watches left, the folder opens, reports it once, and
// still notices what other programs do. The limits are those of a user namespace, in which this
// test runs again.
func TestAFolderIsFollowedWithoutWatches(t *testing.T) {
	t.Parallel()
	if limit := os.Getenv(withoutEnv); limit != "" {
		if err := os.WriteFile(filepath.Join("/proc/sys/user", limit), []byte("0"), 0o644); err != nil {
			t.Fatal(err)
		}
		fswatch.Poll = 200 * time.Millisecond // in this process, which runs no other test
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
		t.Errorf("reported %q, %v", v.Notices, err)
	}
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.untilTree("A")
	if _, err := d.Notebook("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.write("a.mtm", filestest.Notebook("a", "Changed"))
	d.until(is("notebookReloaded"))
	d.write(".mutsumi/rules/r.md", "be kind")
	d.until(func(e item) bool { return e.Type == "contextChanged" && e.Data["rules"] == true })
	file := filepath.Join(d.config, "settings.yaml")
	if err := os.WriteFile(file, []byte("preferences: {theme: dark}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.until(is("settingsChanged"))
	if v, err := d.Snapshot(); err != nil || len(v.Notices) != 1 {
		t.Errorf("reported %q, %v", v.Notices, err)
	}
}

// A snapshot that reads from a disk that does not answer delays nobody else: everything else goes
// on, and the snapshot comes without that part.
func TestASnapshotWaitsForTheDiskAlone(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	recent := filepath.Join(d.state, "recent.json")
	if err := errors.Join(os.Remove(recent), syscall.Mkfifo(recent, 0o600)); err != nil {
		t.Fatal(err)
	}
	came := make(chan error, 1)
	go func() {
		_, err := d.Snapshot()
		came <- err
	}()
	var writer *os.File
	for writer == nil { // until the snapshot reads it
		writer, _ = os.OpenFile(recent, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	defer writer.Close()
	d.prompt(d.create("While it waits"), "typed")
	select {
	case err := <-came:
		t.Errorf("others waited as long as the snapshot did: %v", err)
	default:
	}
	if err := <-came; err != nil {
		t.Error(err)
	}
}
