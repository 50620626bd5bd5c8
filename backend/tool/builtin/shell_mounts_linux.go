package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Landlock does not cover permissions, times, owners and attributes of files, nor, before version
// 9, sockets that have a path. So a command also gets its own view of the file system, if the
// system allows it: everything but the allowed folders is mounted read-only, and sockets of other
// programs are covered.

// ownMounts asks that a process is started with mounts of its own: as root as
// it is, as anybody else in a user namespace in which it has the same number.
func ownMounts(attr *syscall.SysProcAttr) {
	attr.Unshareflags |= syscall.CLONE_NEWNS
	if os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP} // until it becomes the command
}

// canMount reports whether processes can have mounts of their own here. Some systems forbid user
// namespaces, others forbid mounting in one.
var canMount = sync.OnceValue(func() bool {
	program, err := exec.LookPath("true")
	if err != nil {
		return false
	}
	cmd := exec.Command(program)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	ownMounts(cmd.SysProcAttr)
	return cmd.Run() == nil
})

// readOnly mounts everything but the places of a command read-only, and covers sockets that are
// neither there nor let through. The calling process has mounts of its own (ownMounts).
func readOnly(k keeper) error {
	places := existing(k.Writable)
	if slices.Contains(places, "/") {
		return hidePrivate(k)
	}
	trees := make([]int, len(places))
	for i, p := range places {
		// A copy of the tree stays writable, and its read-only parts stay read-only.
		fd, err := unix.OpenTree(unix.AT_FDCWD, p, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("copy the mount of %s: %w", p, err)
		}
		defer unix.Close(fd)
		trees[i] = fd
	}
	if err := cover(k, append(existing(k.Sockets), places...)); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("mount the file system read-only: %w", err)
	}
	// Shared memory and terminals of its own: those of others are out of reach.
	if !slices.ContainsFunc(places, func(p string) bool { return within(p, "/dev/shm") }) {
		_ = unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
	}
	_ = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
	_ = unix.Mount("/dev/pts/ptmx", "/dev/ptmx", "", unix.MS_BIND, "")
	for i, p := range places {
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, p, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("mount %s: %w", p, err)
		}
	}
	return hidePrivate(k)
}

// existing returns the places that exist, with links followed, outer ones first and without those
// inside another.
func existing(places []string) []string {
	var real []string
	for _, p := range places {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			real = append(real, r)
		}
	}
	slices.Sort(real)
	var out []string
	for _, p := range real {
		if !slices.ContainsFunc(out, func(outer string) bool { return within(p, outer) }) {
			out = append(out, p)
		}
	}
	return out
}

// within reports whether a path is a folder or inside it. Both are absolute and clean.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// resolvers are the sockets with which names of hosts and users are looked up.
var resolvers = []string{"/run/systemd/resolve", "/run/systemd/userdb", "/run/nscd", "/var/run/nscd", "/var/lib/sss/pipes", "/run/avahi-daemon"}

// cover hides the sockets of other programs, which could do for a command what it may not: all that
// are bound now, and the places of well-known ones. Sockets in the open places stay.
func cover(k keeper, open []string) error {
	home, _ := os.UserHomeDir()
	dirs := []string{fmt.Sprintf("/run/user/%d", os.Getuid()), "/tmp/.X11-unix", "/tmp/.ICE-unix"}
	if filepath.IsAbs(k.Runtime) && !within(home, k.Runtime) {
		dirs = append(dirs, k.Runtime)
	}
	if os.Geteuid() != 0 { // ssh refuses settings of an owner that has no number here
		dirs = append(dirs, "/etc/ssh/ssh_config.d")
	}
	hidden := []string{}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || slices.ContainsFunc(open, func(p string) bool { return within(p, real) || within(real, p) }) {
			continue
		}
		if err := unix.Mount("tmpfs", real, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "size=4k,mode=0555"); err != nil {
			return fmt.Errorf("hide %s: %w", dir, err)
		}
		hidden = append(hidden, real)
	}
	for _, path := range append(sockets(), k.Hide...) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || slices.ContainsFunc(slices.Concat(open, hidden, resolvers), func(p string) bool { return within(real, p) }) {
			continue
		}
		if info, err := os.Lstat(real); err != nil || info.Mode()&fs.ModeSocket == 0 {
			continue
		}
		hidden = append(hidden, real) // it may be listed more than once
		if err := unix.Mount(os.DevNull, real, "", unix.MS_BIND, ""); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("hide %s: %w", path, err)
		}
	}
	return nil
}

// sockets lists paths of sockets: the bound ones, and those of programs that may run in another
// network namespace.
func sockets() []string {
	home, _ := os.UserHomeDir()
	list := []string{"/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket"}
	for _, name := range []string{"S.gpg-agent", "S.gpg-agent.ssh", "S.gpg-agent.extra", "S.gpg-agent.browser", "S.keyboxd", "S.scdaemon"} {
		list = append(list, filepath.Join(home, ".gnupg", name))
	}
	for _, name := range []string{".docker/run/docker.sock", ".docker/desktop/docker.sock"} {
		list = append(list, filepath.Join(home, name))
	}
	bound, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return list
	}
	for line := range strings.Lines(string(bound)) {
		// "Num RefCount Protocol Flags Type St Inode Path": the path may hold spaces.
		rest := line
		for range 7 {
			_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
		}
		if path := strings.TrimSuffix(strings.TrimLeft(rest, " "), "\n"); filepath.IsAbs(path) {
			list = append(list, path)
		}
	}
	return list
}
