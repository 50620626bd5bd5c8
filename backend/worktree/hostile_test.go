package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile are repositories whose settings, attributes and hooks try to make git run a program,
// which touches $M: each is a script that changes a repository with two files.
var hostile = map[string]string{
	"control":            `true`,
	"hooks":              `for h in post-checkout pre-commit post-commit reference-transaction post-index-change fsmonitor-watchman post-merge pre-auto-gc; do printf '#!/bin/sh\ntouch $M\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done; printf '#!/bin/sh\ntouch $M\n' > hk; chmod +x hk; mkdir hooks2; cp .git/hooks/post-checkout hooks2/; git config core.hooksPath hooks2`,
	"fsmonitor":          `git config core.fsmonitor "touch $M; false"`,
	"filter":             `git config filter.e.clean "touch $M; cat"; git config filter.e.smudge "touch $M; cat"; echo '* filter=e' > .gitattributes`,
	"filter process":     `git config filter.e.process "touch $M"; git config filter.e.required true; echo '* filter=e' > .gitattributes`,
	"filter odd name":    `git config 'filter.a=b.c d.clean' "touch $M; cat"; git config 'filter.a=b.c d.smudge' "touch $M; cat"; echo '* filter=a=b.c' > .gitattributes`,
	"info/attributes":    `git config filter.e.clean "touch $M; cat"; git config filter.e.smudge "touch $M; cat"; mkdir -p .git/info; echo '* filter=e' > .git/info/attributes`,
	"include":            `printf '[filter "e"]\n\tclean = "touch '$M'; cat"\n\tsmudge = "touch '$M'; cat"\n' > .git/inc; git config include.path inc; echo '* filter=e' > .gitattributes`,
	"includeIf gitdir":   `printf '[filter "e"]\n\tclean = "touch '$M'; cat"\n\tsmudge = "touch '$M'; cat"\n' > .git/inc; git config 'includeIf.gitdir:**/worktrees/**.path' "$PWD/.git/inc"; echo '* filter=e' > .gitattributes`,
	"includeIf branch":   `printf '[filter "e"]\n\tclean = "touch '$M'; cat"\n\tsmudge = "touch '$M'; cat"\n' > .git/inc; git config 'includeIf.onbranch:mutsumi/**.path' "$PWD/.git/inc"; echo '* filter=e' > .gitattributes`,
	"merge driver":       `git config merge.e.driver "touch $M; false"; echo '* merge=e' > .gitattributes`,
	"textconv":           `git config diff.e.textconv "touch $M; cat"; git config diff.e.command "touch $M"; git config diff.external "touch $M"; echo '* diff=e' > .gitattributes`,
	"pager alias":        `git config core.pager "touch $M"; git config alias.add "!touch $M"; git config pager.diff true`,
	"promisor":           `git config remote.origin.url "$PWD/../src"; git config remote.origin.promisor true; git config remote.origin.partialclonefilter blob:none; git config remote.origin.uploadpack "touch $M; git-upload-pack"; git config core.repositoryformatversion 1; git config extensions.partialClone origin; sleep 1.1; touch -d "2 minutes ago" a.txt b.txt; git update-index --refresh >/dev/null; rm -f .git/objects/$(git rev-parse HEAD:a.txt | sed 's,..,&/,')`,
	"promisor ssh":       `git config remote.origin.url ssh://x/y; git config core.sshCommand "touch $M; false"; git config remote.origin.promisor true; git config core.repositoryformatversion 1; git config extensions.partialClone origin; sleep 1.1; touch -d "2 minutes ago" a.txt b.txt; git update-index --refresh >/dev/null; rm -f .git/objects/$(git rev-parse HEAD:a.txt | sed 's,..,&/,')`,
	"promisor ext":       `git config protocol.ext.allow always; git config remote.origin.url "ext::$PWD/x.sh"; printf "#!/bin/sh\ntouch $M\n" > x.sh; chmod +x x.sh; git config remote.origin.promisor true; git config core.repositoryformatversion 1; git config extensions.partialClone origin; sleep 1.1; touch -d "2 minutes ago" a.txt b.txt; git update-index --refresh >/dev/null; rm -f .git/objects/$(git rev-parse HEAD:a.txt | sed 's,..,&/,')`,
	"alternates ssh":     `git config remote.origin.url ssh://x/y; git config core.sshCommand "touch $M; false"; git config remote.origin.promisor true; git config core.repositoryformatversion 1; git config extensions.partialClone origin; echo new > new.txt; git add new.txt; sleep 1.1; touch -d "2 minutes ago" new.txt; git update-index --refresh; rm -f .git/objects/$(git rev-parse :new.txt | sed 's,..,&/,')`,
	"flip include":       `printf '[include]\n\tpath = inc\n' >> .git/config; echo '* filter=e' > .gitattributes; (trap '' HUP; while [ ! -e $M.stop ]; do printf '[filter "e"]\n\tclean = "touch '$M'; cat"\n\tsmudge = "touch '$M'; cat"\n' > .git/inc.a; mv .git/inc.a .git/inc; printf '[filter "z"]\n\tclean = cat\n' > .git/inc.b; mv .git/inc.b .git/inc; done; touch $M.done) >/dev/null 2>&1 & disown`,
	"worktreeConfig":     `git config core.repositoryformatversion 1; git config extensions.worktreeConfig true; printf '[filter "e"]\n\tclean = "touch '$M'; cat"\n\tsmudge = "touch '$M'; cat"\n' > .git/config.worktree; echo '* filter=e' > .gitattributes`,
	"gpg":                `git config commit.gpgSign true; git config gpg.program "touch $M"; git config tag.gpgSign true; git config log.showSignature true`,
	"editor askpass":     `git config core.editor "touch $M"; git config core.askPass "touch $M"; git config sequence.editor "touch $M"; git config credential.helper "!touch $M"`,
	"submodule":          `mkdir sm; (cd sm; git init -q; git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git config core.fsmonitor "touch $M; false"; git config filter.e.clean "touch $M; cat"; git config filter.e.process "touch $M"); git -c protocol.file.allow=always submodule add -q ./sm sm; git config submodule.recurse true; git config status.submoduleSummary true; git config diff.submodule log`,
	"embedded repo":      `mkdir em; (cd em; git init -q; git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git config core.fsmonitor "touch $M; false"; echo '* filter=e' > .gitattributes; git config filter.e.clean "touch $M; cat")`,
	"gitfile":            `mv .git ../elsewhere.git; echo "gitdir: ../elsewhere.git" > .git; git config core.fsmonitor "touch $M; false"; git config core.worktree "$PWD"`,
	"split index etc":    `git config core.splitIndex true; git config core.untrackedCache true; git config index.sparse true; git config feature.manyFiles true; git config core.fsmonitor true`,
	"submodule filter":   `mkdir sm; (cd sm; git init -q; echo '* filter=e' > .gitattributes; echo 1 > f; git add -A; git -c user.name=a -c user.email=b commit -qm x; git config filter.e.clean "touch $M; cat"; git config core.fsmonitor "touch $M; false"); git -c protocol.file.allow=always submodule add -q ./sm sm; git -C sm config filter.e.clean "touch $M; cat"; git -C sm config core.fsmonitor "touch $M; false"; git add -A; git commit -qm sub; echo 2 > sm/f`,
	"submodule promisor": `mkdir sm; (cd sm; git init -q; echo 1 > f; git add -A; git -c user.name=a -c user.email=b commit -qm x); git -c protocol.file.allow=always submodule add -q ./sm sm; git add -A; git commit -qm sub; (cd sm; git config core.repositoryformatversion 1; git config extensions.partialClone origin; git config remote.origin.promisor true; git config remote.origin.uploadpack "touch $M; git-upload-pack"; rm -rf ../.git/modules/sm/objects/*/*; echo 2 > f)`,
	"head fsmonitor env": `git config alias.update-index "!touch $M"; git config alias.ls-files "!touch $M"; git config alias.merge-tree "!touch $M"; git config core.gitProxy "touch $M"; git config uploadpack.packObjectsHook "touch $M"; git config core.alternateRefsCommand "touch $M"`,
	"diff drivers":       `git config diff.e.cachetextconv true; git config diff.e.textconv "touch $M; cat"; git config diff.e.xfuncname "^x"; git config interactive.diffFilter "touch $M"; git config diff.tool x; git config difftool.x.cmd "touch $M"; git config mergetool.x.cmd "touch $M"; echo '* diff=e merge=x' > .gitattributes`,
	"remote helper":      `git config remote.origin.vcs ext; git config remote.origin.url "touch $M"; git config remote.origin.promisor true; git config protocol.allow always; git config core.repositoryformatversion 1; git config extensions.partialClone origin; rm -f .git/objects/$(git rev-parse HEAD:b.txt | sed 's,..,&/,')`,
	"insteadOf":          `git config url."ext::touch $M ".insteadOf https://; git config remote.origin.url https://x; git config remote.origin.promisor true; git config protocol.allow always; git config core.repositoryformatversion 1; git config extensions.partialClone origin; rm -f .git/objects/$(git rev-parse HEAD:b.txt | sed 's,..,&/,')`,
	"hook in info":       `mkdir -p .git/info; printf '#!/bin/sh\ntouch $M\n' > .git/hooks/query-watchman; chmod +x .git/hooks/query-watchman; git config core.fsmonitor .git/hooks/query-watchman; git config core.fsmonitorHookVersion 2`,
	"trailer and sign":   `git config trailer.x.command "touch $M"; git config trailer.x.cmd "touch $M"; git config gpg.format ssh; git config gpg.ssh.program "touch $M"; git config gpg.ssh.defaultKeyCommand "touch $M"; git config user.signingKey x; git config commit.gpgSign true; git config merge.verifySignatures true`,
	"tree of the agent":  `true`,
}

// Nothing that a repository names runs when the program itself, not a command of an agent, uses git
// in it; and work trees still work.
func TestNoRepositoryRunsAnything(t *testing.T) {
	for name, setup := range hostile {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			folder, marker := filepath.Join(base, "ws"), filepath.Join(base, "RAN")
			sh := func(script string) {
				c := exec.Command("bash", "-c", script)
				c.Dir = base
				c.Env = append(os.Environ(), "M="+marker, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_NO_LAZY_FETCH=1")
				if out, err := c.CombinedOutput(); err != nil {
					t.Logf("set up: %v %s", err, out)
				}
			}
			sh(`mkdir ws src; cd ws; git init -q -b main; git config user.name a; git config user.email b; echo one > a.txt; echo two > b.txt; git add -A; git commit -qm init; git clone -q . ../src --bare 2>/dev/null; ` + setup)
			sh(`cd ws && git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c filter.e.process= -c filter.e.required=false -c filter.e.clean=cat add .gitattributes 2>/dev/null; true`)
			os.Remove(marker)
			if name == "flip include" {
				t.Cleanup(func() { sh(`touch $M.stop; until [ -e $M.done ]; do sleep 0.01; done`) })
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			missing := strings.Contains(setup, "rm -f .git/objects") // of a file of the first commit: git cannot continue
			step := func(name string, err error) {
				t.Helper()
				if _, e := os.Stat(marker); e == nil {
					t.Errorf("%s ran a program", name)
					os.Remove(marker)
				}
				if err != nil && !missing {
					t.Errorf("%s: %v", name, err)
				}
			}
			p, err := Make(ctx, folder, filepath.Join(base, "tree"), "mutsumi/x")
			step("Make", err)
			if err != nil {
				return
			}
			if name == "tree of the agent" { // it can write its work tree
				sh(`cd tree && rm .git && git init -q && git config core.fsmonitor "touch $M; false" && git config filter.e.clean "touch $M; cat" && echo '* filter=e' > .gitattributes`)
				os.Remove(marker)
			}
			write(t, p.Folder, map[string]string{"b.txt": "changed in the tree\n"})
			write(t, folder, map[string]string{"a.txt": "changed in the folder\n"})
			v, err := Look(ctx, p)
			step("Look", err)
			if err == nil && len(v.Conflict) > 0 {
				t.Errorf("conflict: %v", v.Conflict)
			}
			changes, _, next, err := Merge(ctx, p)
			step("Merge", err)
			if err == nil && len(changes) == 0 {
				t.Error("there is nothing to merge")
			}
			_, _, err = Unmerge(ctx, next)
			if next.Merged != nil {
				step("Unmerge", err)
			}
			_, _, err = Update(ctx, p)
			step("Update", err)
			step("Discard", Discard(ctx, p))
			if !p.Gone() {
				t.Error("the work tree is still there")
			}
		})
	}
}
