package approval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShellPath(t *testing.T) {
	for word, want := range map[string]string{
		"": "", "a": "a", "a/b": `a\b`, `C:\x`: `C:\x`, "C:/x/y": `C:\x\y`, "/c": `C:\`, "/c/": `C:\`, "/d/x y": `D:\x y`, "a.txt:s": "a.txt", ".git::$INDEX_ALLOCATION/hooks/x": `.git\hooks\x`,
		`C:\a:b\c`: `C:\a\c`, "//host/share/x": `\\host\share\x`, "https://a.example": `https\\a.example`, "12:3": "12",
	} {
		if got := shellPath(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	for _, word := range []string{"/", "/etc/passwd", "/tmp", "C:x", "C:", "/cc/x", `\x`, `\c\x`, "1:2", "/1/x"} {
		if got := shellPath(word); !strings.HasPrefix(got, noFolder) {
			t.Errorf("%q: %q is a folder here", word, got)
		}
	}
}

// A star covers what stays in the folder, and nothing else, however a path is written.
func TestCommandsOnWindows(t *testing.T) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, d := range []string{"src", ".git/hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := NewPolicy()
	for _, r := range []Rule{{Tool: "shell", Pattern: "*"}, {Tool: "shell", Pattern: "> **"}} {
		r.Scope = Always
		if _, err := p.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	where := Call{Tool: "shell", Notebook: "n", Workspace: dir, Roots: []string{dir}}
	slashes := filepath.ToSlash(dir)
	unix := "/" + strings.ToLower(slashes[:1]) + slashes[2:]
	for command, want := range map[string]Outcome{
		"cat a.txt": Allow, "cat src/b ./a.txt": Allow, "go test ./...": Allow, "npm run build:web": Allow, "git log HEAD:a.txt": Allow, "cat " + slashes + "/a.txt": Allow, "cat " + unix + "/a.txt": Allow,
		"cat '" + dir + `\a.txt'`: Allow, "echo x > src/out.txt": Allow, "echo x > /dev/null": Allow, "cd src && cat b": Allow, "cat *.txt": Allow, "cat " + unix + "/*.txt": Allow, "ls " + unix: Allow, "rm src/x": Allow,
		"cat /etc/passwd": Ask, "rm -rf /": Ask, "rm -rf /c": Ask, "rm -rf /c/Users": Ask, "cat C:/Users/x": Ask, `cat 'C:\Users\x'`: Ask, `cat C:\\Users`: Ask, "cat C:x": Ask, "cat C:": Ask, "cat //host/share/x": Ask, `cat '\\host\share\x'`: Ask,
		`cat '\Users\x'`: Ask, `cat '..\x'`: Ask, `cat 'src\..\..\x'`: Ask, "cat ../x": Ask, "cat ~/x": Ask, "cat /c/*/x": Ask, "cat /tmp/*": Ask, "ls --color=/c": Ask, "cd /c && ls": Ask, "cd / && ls": Ask, "cd C:/ && ls": Ask, "tee /etc/x": Ask,
		"echo x > /c/x": Ask, "echo x > C:/x": Ask, "echo x > C:x": Ask, "cat < /etc/passwd": Ask, "cat nul": Ask, "find / -name x": Ask, "find /c -name x": Ask,
		"echo x > .git/hooks/pre-commit": Ask, "echo x > .GIT/hooks/pre-commit": Ask, "echo x > .git./hooks/pre-commit": Ask, "echo x > .git::$INDEX_ALLOCATION/hooks/pre-commit": Ask, `echo x > '.git::$INDEX_ALLOCATION/hooks/pre-commit'`: Ask, `echo x > '.git\hooks\pre-commit'`: Ask,
		"cp a.txt '.git::$INDEX_ALLOCATION/hooks/pre-commit'": Ask, `cp a.txt '.git\hooks\pre-commit'`: Ask, "cp a.txt .git/hooks/pre-commit": Ask,
	} {
		if v := Simulate(p, "", command, "", where); v.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", command, v.Outcome, v.Reason, want)
		}
	}
	// Grants that do not name what is dangerous about a program do not cover it by another name of it.
	p = NewPolicy()
	for _, g := range []string{"powershell *", "cmd *", "wsl *", "python *", "git *", "rm *", "cat *"} {
		if _, err := p.Add(Rule{Tool: "shell", Pattern: g, Scope: Always}); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]Outcome{
		"git log": Allow, "cat a.txt": Allow, "python src/x.py": Allow,
		"powershell -Command ls": Ask, "PowerShell.exe ls": Ask, "cmd /c dir": Ask, "cmd.exe //c dir": Ask, "python.exe -c 'x'": Ask, "Python -c 'x'": Ask, "git.exe config x": Ask, "GIT log --output=x": Ask, "wsl ls": Ask,
	} {
		if v := Simulate(p, "", command, "", where); v.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", command, v.Outcome, v.Reason, want)
		}
	}
	if _, err := p.Add(Rule{Tool: "write_file", Pattern: "**", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Outcome{
		"src/x": Allow, `src\x`: Allow, dir + `\x`: Allow, "file:///" + slashes + "/x": Allow, "file:/" + slashes + "/%78": Allow, strings.ToUpper(dir) + `\x`: Allow,
		`C:\x`: Ask, "/c/x": Ask, "/x": Ask, `\x`: Ask, "C:x": Ask, `\\host\share\x`: Ask, "../x": Ask, "file:///C:/x": Ask, "file:///C:x": Ask, "nul": Ask, "src/con": Ask,
		".git/config": Ask, ".Git/config": Ask, ".git./config": Ask, ".git /config": Ask, `.git\config`: Ask, ".git::$INDEX_ALLOCATION/config": Ask, "a.txt:s": Ask, "file:///" + slashes + "/.g%69t/config": Ask,
	} {
		if v := Simulate(p, "write_file", path, "", where); v.Outcome != want {
			t.Errorf("write_file %s: %s (%s), want %s", path, v.Outcome, v.Reason, want)
		}
	}
}
