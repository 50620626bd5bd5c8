package builtin_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/tool/builtin"
)

// escape runs one attack as a command of an agent, and returns what it printed.
func (x *terminal) escape(t *testing.T, way, target string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	res := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, fmt.Sprintf("'%s' attack %s '%s'", self, way, target)))
	if res.IsError {
		t.Errorf("%s %s: %+v", way, target, res)
	}
	return res.Content
}

// listen makes a socket at which somebody answers.
func listen(t *testing.T, address string) string {
	t.Helper()
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	return address
}

// short makes a folder whose path leaves room for the name of a socket.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A command traces and reads none of the processes that keep it.
func TestKeepersAreOutOfReach(t *testing.T) {
	asNobody(t)
	x := newTerminal(t, true, nil)
	if out := x.escape(t, "ancestors", os.Args[0]); out != "(no output)" {
		t.Error(out)
	}
}

// Files outside keep their permissions, times, owners and attributes if commands have mounts of
// their own. If not, the status says so.
func TestCommandsChangeNothingAboutOtherFiles(t *testing.T) {
	asNobody(t)
	status := builtin.SandboxStatus()
	own := strings.Contains(status.How, "mounted read-only")
	if own == strings.Contains(status.How, "Not confined: permissions") {
		t.Errorf("the status does not describe the confinement: %s", status.How)
	}
	x := newTerminal(t, true, nil)
	file := filepath.Join(t.TempDir(), "there")
	when := time.Unix(1e9, 0)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, when, when); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"chmod 777 " + file, "touch -d @5 " + file, "touch -a " + file} {
		if res := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, c)); res.IsError != own {
			t.Errorf("%s: %+v", c, res)
		}
	}
	info, err := os.Stat(file)
	if err != nil || own && (info.Mode().Perm() != 0o600 || !info.ModTime().Equal(when)) {
		t.Errorf("%v %v", info, err)
	}
	for _, way := range []string{"xattr", "chown"} {
		if out := x.escape(t, way, file); own && out != "(no output)" {
			t.Errorf("%s: %s", way, out)
		}
	}
	x.write(t, "mine", "x")
	for _, c := range []string{"chmod 700 mine && touch -d @5 mine && test -x mine", "cd $TMPDIR && touch a && chmod 600 a"} {
		if res := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, c)); res.IsError {
			t.Errorf("%s: %+v", c, res)
		}
	}
}

// Sockets of other programs are out of reach: the session's, those that a variable names, and
// others. The command's own are not.
func TestSocketsOfOthersAreOutOfReach(t *testing.T) {
	asNobody(t)
	own := strings.Contains(builtin.SandboxStatus().How, "sockets of programs that run already are hidden")
	dir, session := short(t), short(t)
	bus, agent, other := listen(t, filepath.Join(session, "bus")), listen(t, filepath.Join(dir, "agent.1")), listen(t, filepath.Join(dir, "a tmux"))
	abstract := listen(t, fmt.Sprintf("@mutsumi-test-%d-%d", os.Getpid(), time.Now().UnixNano()))
	t.Setenv("XDG_RUNTIME_DIR", session)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+bus+",guid=0123")
	t.Setenv("SSH_AUTH_SOCK", agent)
	x := newTerminal(t, true, nil)
	if res := x.run(t, t.Context(), `{"command":"env"}`); strings.Contains(res.Content, dir) || strings.Contains(res.Content, session) {
		t.Errorf("the environment names them: %s", res.Content)
	}
	for _, socket := range []string{bus, agent, other} {
		if out := x.escape(t, "dial", socket); own != (out == "(no output)") {
			t.Errorf("%s: %s", socket, out)
		}
	}
	if out := x.escape(t, "dial", abstract); out != "(no output)" {
		t.Errorf("%s: %s", abstract, out)
	}
	inside := listen(t, filepath.Join(x.temp, "s"))
	if out := x.escape(t, "dial", inside); out != "reached" {
		t.Errorf("its own: %s", out)
	}
	x.show("SSH_AUTH_SOCK")
	if out := x.escape(t, "dial", agent); out != "reached" {
		t.Errorf("the allowed one: %s", out)
	}
	if out := x.escape(t, "dial", other); own != (out == "(no output)") {
		t.Errorf("next to it: %s", out)
	}
}

// Other users' terminals and shared memory cannot be written.
func TestTerminalsAndSharedMemoryAreTheirOwn(t *testing.T) {
	asNobody(t)
	own := strings.Contains(builtin.SandboxStatus().How, "mounted read-only")
	x := newTerminal(t, true, nil)
	name := fmt.Sprintf("/dev/shm/mutsumi-%d", os.Getpid())
	res := x.run(t, t.Context(), fmt.Sprintf(`{"command":"echo x > %s && cat %[1]s; ls /dev/pts | tr '\\n' ' '; test -t 1 && echo terminal > /dev/tty"}`, name))
	if res.IsError || !strings.HasPrefix(res.Content, "x\n") || own && !strings.HasPrefix(res.Content, "x\nptmx terminal") {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(name); own != os.IsNotExist(err) {
		t.Errorf("%s: %v", name, err)
	}
	os.Remove(name)
}

// What people have agents do still works, for root and for others.
func TestEverydayCommandsWorkConfined(t *testing.T) {
	asNobody(t)
	x := newTerminal(t, true, nil)
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.21\n", "m.go": "package m\n\nfunc One() int { return 1 }\n",
		"hello/main.go": "package main\n\nfunc main() { println(\"hello\") }\n",
		"Makefile":      "all:\n\t@echo made > out && chmod +x out && cp -p out out2 && cat out2\n", "c/main.c": "int main(void) { return 0; }\n",
		"dep/package.json": `{"name":"dep","version":"1.0.0","bin":"cli.js"}`, "dep/cli.js": "#!/usr/bin/env node\nconsole.log('ran')\n", "package.json": `{"name":"app","version":"1.0.0"}`,
	} {
		x.write(t, name, text)
	}
	for _, c := range []struct{ program, command, want string }{
		{"git", "git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first && git status --porcelain && git log --format=%s && git worktree add -q ../$(basename $PWD)/w && git stash list && git gc -q", "first"},
		{"make", "make -s", "made"},
		{"gcc", "gcc -o prog c/main.c && ./prog && echo compiled", "compiled"},
		{"python3", "python3 -c 'import tempfile, multiprocessing, socket; q = multiprocessing.Semaphore(1); print(len(tempfile.mkdtemp()) > 0)' && python3 -m venv --without-pip v && v/bin/python -c 'print(6*7)'", "True\n42"},
		{"npm", "exec 2>/dev/null; npm install --no-audit --no-fund --silent ./dep && npx --no-install dep && npm pack --silent", "ran\napp-1.0.0.tgz"},
		{"go", "go build ./... && go run ./hello", "hello"},
		{"tar", "tar cf a.tar dep && mkdir out.d && tar xf a.tar -C out.d && ls out.d", "dep"},
		{"bash", "cat <(echo piped) && sleep 0.01 & wait; id -u >/dev/null && echo $((1+1)) | tee t | cat; mktemp -d >/dev/null; mkfifo f; rm -r f t", "piped\n2"},
		{"script", "script -qc 'test -t 0 && echo a terminal' /dev/null < /dev/null | tr -d '\\r'", "a terminal"},
	} {
		if _, err := exec.LookPath(c.program); err != nil {
			continue // not every machine has all of them
		}
		if c.program == "go" && os.Geteuid() == 0 {
			continue // the user nobody does it too, and it takes long
		}
		if c.program == "python3" && exec.Command("python3", "-c", "1").Run() != nil {
			continue // it belongs to another user
		}
		args, _ := json.Marshal(map[string]any{"command": c.command, "timeout_seconds": 300})
		if res := x.run(t, t.Context(), string(args)); res.IsError || strings.TrimRight(res.Content, " ") != strings.TrimRight(c.want, " ") {
			t.Errorf("%s: %+v", c.program, res)
		}
	}
}
