package approval

import (
	"os"
	"path/filepath"
	"testing"
)

// Writes by cp and similar programs are judged by their real destination: in a folder, behind a
// link, or replacing a file that another program runs. No star covers that, not even the one for
// everything.
func TestCopiesToWhatRunsLaterAsk(t *testing.T) {
	for _, grants := range [][]string{{"cp *", "mv *", "ln *", "install *", "tee *", "touch *", "sed -i *", "rsync *"}, {"*"}} {
		p, where := grantsFor(t, grants)
		for link, to := range map[string]string{"hooks": ".git/hooks", "file": "package.json", "new": ".husky/pre-commit"} {
			if err := os.Symlink(to, filepath.Join(where.Workspace, link)); err != nil {
				t.Fatal(err)
			}
		}
		for c, want := range map[string]Outcome{
			"cp a.txt out/": Allow, "cp a.txt out/b.txt": Allow, "mv a.txt src": Allow, "cp -r src out": Allow, "touch src/new.go": Allow, "cp a.txt b.txt src": Allow, "cp -t src a.txt b.txt": Allow, "tee out/x": Allow,
			"cp src/package.json .": Ask, "cp src/Makefile ./": Ask, "mv src/conftest.py tests": Ask, "cp a.txt package.json": Ask, "cp a.txt src/../package.json": Ask, "cp a.txt hooks/pre-commit": Ask, "cp a.txt hooks": Ask, "cp a.txt hooks/": Ask, "cp a.txt file": Ask, "cp a.txt new": Ask, "tee file": Ask, "touch hooks/x": Ask,
			"cp -t .husky a.txt": Ask, "cp -t.husky a.txt": Ask, "cp --target-directory=.husky a.txt": Ask, "cp --target=hooks a.txt": Ask, "cp -t hooks a.txt": Ask, "cp -r evil/. .": Ask, "cp -rT evil .": Ask, "cp -a evil/. src": Ask, "rsync -a evil/ .": Ask, "ln -s a.txt package.json": Ask, "ln -sf ../a .husky": Ask, "install a.txt hooks": Ask, "sed -i s/a/b/ package.json": Ask, "sed -i s/a/b/ file": Ask,
			"cd src && cp ../a.txt package.json": Ask, "cp .g*/x a": Ask,
		} {
			if v := Simulate(p, "", c, "", where); v.Outcome != want {
				t.Errorf("with %q, %q: %s (%s), want %s", grants, c, v.Outcome, v.Reason, want)
			}
		}
	}
}

// A denial of a file applies to every program that is known to write it, and a denial of a program
// to every command that could run it.
func TestDenialsOfWhatIsKnownOnlyWhenItRuns(t *testing.T) {
	p, where := grantsFor(t, []string{"*"})
	for _, d := range []Rule{{Tool: "shell", Pattern: "git push*"}, {Tool: "shell", Pattern: "> .env"}, {Tool: "write_file", Pattern: "secrets/**"}, {Tool: "shell", Pattern: "npm publish"}, {Tool: "shell", Pattern: "cd web && make *"}} {
		d.Deny, d.Scope = true, Always
		if _, err := p.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(where.Workspace, "secrets"), 0o755); err != nil {
		t.Fatal(err)
	}
	for c, want := range map[string]Outcome{
		"git {push,origin}": Deny, "git pus*": Ask, "git pu$x": Ask, "git $x": Ask, "git \"$x\" origin": Ask, "git $(echo push)": Ask, "git pu{sh,ll}": Deny, "git -C . $x": Ask, "git p${x}h": Ask, "npm $x": Ask, "npm {publish,x}": Deny, "git -c alias.p=push p": Ask, "watch git push": Ask, "script -c 'git push'": Ask, "flock l git push": Ask, "strace -f /usr/bin/git push": Ask, "ssh host 'cd x && git push'": Ask, "docker run alpine git push": Ask, "busybox wget x": Allow, "watch ls": Allow,
		"ls # \\\ngit push": Ask, "cat <<E\nE\\\n\ngit push\nE": Ask, "sh -c '[[ a || git push ]]'; ls": Ask, "git push": Deny, "git log": Allow, "git log src/*.go": Allow, "npm test": Allow, "make": Allow, "make deploy": Allow, "cd web && make deploy": Deny, "cd src && make deploy": Allow, "cd nothing; make deploy": Allow, "git fetch origin": Allow,
		"echo x | tee .env": Deny, "cp a.txt .env": Deny, "cp a.txt ./.env": Deny, "mv a.txt .ENV": Deny, "sed -i s/a/b/ .env": Deny, "cp a.txt ./.e*": Ask, "cp a.txt $x": Ask, "touch secrets/x": Deny, "cp a.txt secrets": Deny, "cp -t secrets a.txt": Deny, "dd if=a.txt of=.env": Deny, "install a.txt .env": Deny, "truncate -s0 .env": Deny, "cp a.txt b.txt": Allow, "rm b.txt": Allow,
	} {
		if v := Simulate(p, "", c, "", where); v.Outcome != want {
			t.Errorf("%q: %s (%s), want %s", c, v.Outcome, v.Reason, want)
		}
	}
}
