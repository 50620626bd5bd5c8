package approval

import (
	"runtime"
	"slices"
	"strings"
)

// harmless are programs that neither run others nor write, whatever their arguments.
var harmless = setOf("cat ls wc head tail basename dirname realpath readlink stat du df cut tr nl od hexdump cmp comm diff grep egrep fgrep which whoami id uname printenv seq sleep expr strings md5sum sha1sum sha256sum sha512sum cksum tac rev paste fold column test [ echo pwd")

// launchers are programs whose arguments can name another program or hold code in too many ways: no
// star covers their arguments.
var launchers = setOf(`watch strace ltrace gdb lldb perf valgrind ssh scp sftp chroot unshare nsenter busybox toybox parallel rlwrap expect script su runuser setpriv
	systemd-run bwrap firejail flatpak-spawn proot fakeroot faketime flock start-stop-daemon run-parts at batch crontab taskset chrt cpulimit numactl prlimit
	setarch linux32 linux64 catchsegv dbus-run-session dbus-launch xvfb-run npx bunx uvx pipx vim vi nvim view ex ed emacs emacsclient nano micro hx less more most man info
	sqlite3 psql mysql mongo redis-cli nc ncat netcat socat telnet entr screen tmux byobu wine osascript open xdg-open tclsh wish m4 dc bc gnuplot octave
	distcc ccache sccache fakechroot tsocks torsocks proxychains direnv nix nix-shell guix conda poetry pipenv hatch tox nox just task mise asdf rbenv pyenv
	cmd powershell pwsh wsl cscript wscript mshta rundll32 regsvr32 msiexec schtasks wmic forfiles start winpty
	logrotate tcpdump nmap ip ionice2 unbuffer stap bpftrace rsync wget gpg openssl ld gold mold troff groff latex pdflatex xelatex lualatex tex`)

// option is an option that runs a program, holds code or writes a file.
type option struct {
	long  string // with spaces between; GNU programs take any beginning of these
	short string // letters
	words string // whole arguments, for programs with one dash
	risk  string
	why   string
}

var (
	namesFrom = option{long: "files0-from", risk: RiskOutside, why: "reads files that another file names"}
	suffix    = option{long: "suffix", short: "S", risk: RiskWrites, why: "names a file that is written"}
)

var options = map[string][]option{
	"git": {
		{long: "ext-diff textconv open-files-in-pager upload-pack receive-pack exec exec-path config-env extcmd tool template sendmail-cmd config strategy show-signature paginate", risk: RiskRuns, why: "can run another program"},
		{long: "git-dir work-tree separate-git-dir", risk: RiskOutside, why: "names another repository"},
		{long: "output output-directory remerge-diff diff-merges", risk: RiskWrites, why: "writes a file"},
	},
	"go": {
		{words: "-exec -toolexec -vettool -overlay -modfile -C -ldflags -gcflags -asmflags -gccgoflags -compiler -pkgdir -w -http -m -u", risk: RiskRuns, why: "can run another program"},
		{words: "-o -c -cpuprofile -memprofile -blockprofile -mutexprofile -trace -coverprofile -outputdir -artifacts -mod -fix", risk: RiskWrites, why: "writes a file"},
	},
	"gofmt":   {{words: "-w -cpuprofile", risk: RiskWrites, why: "writes a file"}},
	"fd":      {{long: "exec exec-batch", short: "xX", risk: RiskRuns, why: "runs another program"}},
	"sort":    {{long: "output compress-program", short: "o", risk: RiskWrites, why: "writes a file or runs a program"}, {long: "files0-from", risk: RiskOutside, why: "reads files that another file names"}},
	"shuf":    {{long: "output", short: "o", risk: RiskWrites, why: "writes a file"}},
	"iconv":   {{long: "output", short: "o", risk: RiskWrites, why: "writes a file"}},
	"rg":      {{long: "pre hostname-bin search-zip", short: "z", risk: RiskRuns, why: "runs another program"}},
	"tree":    {{short: "oR", risk: RiskWrites, why: "writes a file"}},
	"file":    {{long: "compile preserve-date", short: "Cp", risk: RiskWrites, why: "writes a file"}, {long: "uncompress uncompress-noreport", short: "zZ", risk: RiskRuns, why: "runs another program"}, {long: "files-from", short: "f", risk: RiskOutside, why: "reads files that another file names"}},
	"date":    {{long: "set", short: "s", risk: RiskWrites, why: "sets the clock"}},
	"split":   {{long: "filter", risk: RiskRuns, why: "runs another program"}},
	"tar":     {{long: "to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command rmt-command", short: "IF", risk: RiskRuns, why: "runs another program"}},
	"bsdtar":  {{long: "use-compress-program", short: "IF", risk: RiskRuns, why: "runs another program"}},
	"zip":     {{long: "unzip-command", short: "T", risk: RiskRuns, why: "runs another program"}},
	"curl":    {{long: "output remote-name remote-name-all remote-header-name upload-file config dump-header cookie-jar output-dir trace trace-ascii stderr libcurl etag-save hsts alt-svc ssl-sessions create-dirs netrc-file write-out variable", short: "oOJTKDcw", risk: RiskWrites, why: "writes or sends a file"}, {long: "data data-binary data-raw data-ascii data-urlencode form form-string json url-query request unix-socket abstract-unix-socket proxy preproxy mail-from quote", short: "dFXxQ", risk: RiskNetwork, why: "sends something"}},
	"make":    {{long: "eval file makefile directory include-dir", short: "EfCI", risk: RiskRuns, why: "takes other rules"}},
	"cmake":   {{short: "PEDC", risk: RiskRuns, why: "can run another program"}},
	"cargo":   {{long: "config manifest-path open", short: "CZ", risk: RiskRuns, why: "can run another program"}, {long: "target-dir artifact-dir out-dir lockfile-path fix", risk: RiskWrites, why: "writes files"}},
	"npm":     {{long: "script-shell prefix node-options globalconfig userconfig call workspace workspaces include-workspace-root cwd dir global location recursive filter use-yarnrc modules-folder git browser editor viewer init-module onload-script", short: "cCwgrF", risk: RiskRuns, why: "can run another program"}, {long: "logs-dir cache tmp", risk: RiskWrites, why: "writes files"}},
	"python":  {{short: "cm", risk: RiskRuns, why: "runs code that stands in the command"}},
	"node":    {{long: "eval print require import loader experimental-loader env-file", short: "epri", risk: RiskRuns, why: "runs code that stands in the command"}},
	"perl":    {{short: "eEmMdxI", risk: RiskRuns, why: "runs code that stands in the command"}},
	"ruby":    {{short: "erIx", risk: RiskRuns, why: "runs code that stands in the command"}},
	"php":     {{long: "run process-code", short: "rBREda", risk: RiskRuns, why: "runs code that stands in the command"}},
	"lua":     {{short: "el", risk: RiskRuns, why: "runs code that stands in the command"}},
	"bun":     {{long: "eval print preload require import", short: "epr", risk: RiskRuns, why: "runs code that stands in the command"}, {long: "config cwd env-file tsconfig-override define loader inspect inspect-wait inspect-brk", short: "c", risk: RiskRuns, why: "takes code or settings from elsewhere"}, {long: "coverage-dir reporter-outfile update-snapshots", short: "u", risk: RiskWrites, why: "writes files"}},
	"Rscript": {{short: "e", risk: RiskRuns, why: "runs code that stands in the command"}},
	"gcc":     {{words: "-wrapper -specs -o", short: "B", risk: RiskRuns, why: "can run another program"}},
	"pytest":  {{long: "rootdir confcutdir override-ini pyargs import-mode pdbcls config-file tx px rsyncdir cov-config", short: "pco", risk: RiskRuns, why: "takes code or settings from elsewhere"}, {long: "basetemp junitxml junit-xml pastebin log-file report-log resultlog debug html css cov-report json-report-file", risk: RiskWrites, why: "writes or sends files"}},
	"hg":      {{long: "config", risk: RiskRuns, why: "can run another program"}},
	"svn":     {{long: "diff-cmd diff3-cmd editor-cmd config-option config-dir", risk: RiskRuns, why: "can run another program"}},
	"yq":      {{long: "inplace", short: "i", risk: RiskWrites, why: "writes a file"}},
	"printf":  {{short: "v", risk: RiskRuns, why: "sets a variable"}},
	"wc":      {namesFrom}, "du": {namesFrom},
	"cp": {suffix}, "mv": {suffix}, "ln": {suffix}, "install": {suffix},
	"patch": {{long: "output reject-file backup-if-mismatch prefix suffix basename-prefix directory", short: "orzBYdV", risk: RiskWrites, why: "names a file that is written"}},
	"rm":    {{long: "no-preserve-root", risk: RiskDeletes, why: "deletes everything"}},
}

// alike are programs with the options of another one.
var alike = map[string]string{
	"gmake": "make", "fdfind": "fd", "python3": "python", "python2": "python", "pypy": "python", "pypy3": "python", "nodejs": "node", "luajit": "lua",
	"cc": "gcc", "g++": "gcc", "c++": "gcc", "clang": "gcc", "clang++": "gcc", "gtar": "tar", "gsed": "sed", "gawk": "awk", "mawk": "awk", "nawk": "awk", "original-awk": "awk",
	"pnpm": "npm", "yarn": "npm", "gsort": "sort", "gfind": "find", "gxargs": "xargs", "gtimeout": "timeout", "genv": "env", "gnice": "nice", "gnohup": "nohup", "gstdbuf": "stdbuf", "gtime": "time",
}

// plainWords are the first arguments of programs with several uses that a
// star covers; others have to be named. Those with "!" in front are the
// opposite: only these have to be named.
var plainWords = map[string]string{
	"git":     "add am annotate apply archive blame branch cat-file check-ignore checkout cherry cherry-pick clean clone commit commit-tree describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push range-diff rebase reflog reset restore rev-list rev-parse revert rm shortlog show show-ref sparse-checkout stash status switch symbolic-ref tag update-index update-ref version whatchanged worktree write-tree --version",
	"go":      "build test vet list doc fmt version mod fix clean",
	"npm":     "test t run run-script ls list outdated view info audit pack version why ping root bin prefix fund --version -v",
	"docker":  "ps images logs inspect version info stats top port diff history",
	"podman":  "ps images logs inspect version info stats top port diff history",
	"kubectl": "get describe logs version explain api-resources cluster-info top",
	"gh":      "pr issue repo run release status search label",
	"deno":    "check lint fmt doc info types --version",
	"cargo":   "build check test clippy fmt doc tree metadata update clean version --version bench",
}

// readsCode are programs that run their input if they are given no file.
var readsCode = setOf("python node perl ruby php lua bun deno Rscript awk")

func setOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, f := range strings.Fields(s) {
		out[f] = true
	}
	return out
}

// foldsCase says that the system finds a program by its name in capitals, too.
var foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// canonicalName is the name under which a program is in the tables.
func canonicalName(program string) string {
	if foldsCase {
		if program = strings.TrimSuffix(strings.ToLower(program), ".exe"); program == "rscript" {
			return "Rscript"
		}
	}
	for _, dir := range []string{"/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/", "/sbin/", "/opt/homebrew/bin/"} {
		if name, ok := strings.CutPrefix(program, dir); ok && !strings.Contains(name, "/") {
			program = name
			break
		}
	}
	if a := alike[program]; a != "" {
		return a
	}
	if strings.HasPrefix(program, "python3.") {
		return "python"
	}
	return program
}

// risks finds the parts of a program's arguments that no star of a pattern may cover.
func risks(p *part) []finding {
	name := canonicalName(p.program)
	var out []finding
	if name == "git" {
		stripGit(p)
		out = append(out, gitRisks(p)...)
	}
	if words, ok := plainWords[name]; ok && len(p.args) > 0 && !slices.Contains(strings.Fields(words), p.args[0].text) {
		out = append(out, finding{0, RiskRuns, p.program + " " + p.args[0].text + " can run other programs"})
	}
	own := true // options are the program's own, not those of a script that it runs
	for i, a := range p.args {
		text := a.text
		if !a.literal {
			text = a.prefix
		}
		own = own && !(name == "npm" && a.literal && a.text == "--")
		for _, o := range options[name] {
			if !own {
				break
			}
			if o.matches(text) || name == "tar" && i == 0 && text != "" && text[0] != '-' && strings.ContainsAny(text, "IF") {
				out = append(out, finding{i, o.risk, a.text + " " + o.why})
			}
		}
		if launchers[name] {
			out = append(out, finding{i, RiskRuns, p.program + " can run other programs"})
		}
		if g := controlFolder(text); g != "" && !harmless[name] && name != "git" {
			out = append(out, finding{i, RiskWrites, "files in " + g + " decide what programs do"})
		}
	}
	switch name {
	case "tar", "bsdtar", "unzip":
		out = append(out, archiveRisks(p, name)...)
	case "npm":
		for i, a := range p.args {
			if strings.HasPrefix(a.text, "--config.") {
				out = append(out, finding{i, RiskRuns, a.text + " can run another program"})
			}
		}
	case "pytest", "strings":
		for i, a := range p.args {
			if strings.HasPrefix(a.text, "@") {
				out = append(out, finding{i, RiskOutside, a.text + " takes arguments from a file"})
			}
		}
	case "patch":
		out = append(out, patchRisks(p))
	case "git":
		if len(p.args) > 0 && slices.Contains([]string{"apply", "am"}, p.args[0].text) {
			out = append(out, patchRisks(p))
		}
	case "date":
		out = append(out, dateRisks(p)...)
	case "jq":
		out = append(out, jqRisks(p)...)
	case "curl":
		for i, a := range p.args {
			if low := strings.ToLower(a.text); strings.HasPrefix(low, "file:") || strings.ContainsAny(low, "{[") || strings.HasPrefix(low, "--url=") {
				out = append(out, finding{i, RiskOutside, a.text + " can name a file of this computer"})
			}
		}
	case "sed":
		out = append(out, sedRisks(p)...)
	case "awk":
		out = append(out, awkRisks(p)...)
	case "make":
		for i, a := range p.args {
			if strings.Contains(a.text, "=") {
				out = append(out, finding{i, RiskRuns, a.text + " sets a variable of the rules"})
			}
		}
	case "gcc":
		for i, a := range p.args {
			if strings.HasPrefix(a.text, "@") || strings.HasPrefix(a.text, "-fplugin") || strings.HasPrefix(a.text, "-Wl,") || strings.HasPrefix(a.text, "-specs") {
				out = append(out, finding{i, RiskRuns, a.text + " can run another program"})
			}
		}
	case "uniq", "xxd":
		n := 0
		for i, a := range p.args {
			if a.text == "" || a.text[0] != '-' || a.text == "-" {
				if n++; n > 1 {
					out = append(out, finding{i, RiskWrites, a.text + " is written"})
				}
			}
		}
	}
	if readsCode[name] && name != "awk" && !slices.ContainsFunc(p.args, func(a word) bool {
		return a.text != "" && a.text[0] != '-' || a.text == "--version" || a.text == "-V" || a.text == "--help"
	}) {
		out = append(out, finding{nothingCovers, RiskRuns, p.program + " runs code that it reads from elsewhere"})
	}
	return append(out, unclearArgs(p)...)
}

// matches reports whether an argument is the option, in any way to write it.
func (o option) matches(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(arg, "=")
	for _, w := range strings.Fields(o.words) {
		if name == w || name == "-"+w || "-test."+w[1:] == name {
			return true
		}
	}
	if strings.HasPrefix(name, "--") {
		for _, l := range strings.Fields(o.long) {
			if len(name) > 2 && strings.HasPrefix(l, name[2:]) {
				return true
			}
		}
		return false
	}
	return o.short != "" && strings.ContainsAny(arg[1:], o.short)
}

// unclearArgs finds arguments that could turn out to be options, or several
// files where a program makes a difference between them.
func unclearArgs(p *part) (out []finding) {
	if harmless[p.program] {
		return nil
	}
	for i, a := range p.args {
		switch {
		case a.literal:
		case a.dynamic || a.mayBeOption():
			out = append(out, finding{i, RiskUnknown, a.text + " is known only when it runs, and could be any option"})
		case a.many && !onlyReads(p):
			kind := RiskUnknown
			if matchesHidden(a.text) {
				kind = RiskWrites
			}
			out = append(out, finding{i, kind, a.text + " may be several files, which are known only when it runs"})
		}
	}
	return out
}

// matchesHidden reports whether a pattern of files could match a name that begins with a dot: most
// files that configure programs have such names.
func matchesHidden(pattern string) bool {
	return slices.ContainsFunc(strings.Split(pattern, "/"), func(s string) bool {
		return strings.HasPrefix(s, ".") && strings.ContainsAny(s, "*?[{") && s != "." || strings.Contains(s, "{") && strings.Contains(s, ".")
	})
}

// stripGit takes options away that mean nothing to a pattern.
func stripGit(p *part) {
	for len(p.args) > 0 && slices.Contains([]string{"--no-pager", "-P", "--no-optional-locks"}, p.args[0].text) && p.args[0].literal {
		p.args = p.args[1:]
		for i := range p.findings {
			p.findings[i].arg--
		}
	}
}

var gitShort = map[string]string{"grep": "O", "rebase": "xs", "merge": "s", "pull": "s", "cherry-pick": "s", "revert": "s", "clone": "cu", "archive": "o", "format-patch": "o"}

func gitRisks(p *part) (out []finding) {
	if len(p.args) == 0 {
		return nil
	}
	short := option{short: gitShort[p.args[0].text]}
	branch := option{long: "delete move copy force edit-description set-upstream-to unset-upstream no-list create-reflog track recurse-submodules", short: "dDmMcCfut"}
	commit := option{long: "amend gpg-sign edit reedit-message patch interactive", short: "Secp"}
	for i, a := range p.args {
		text := a.text
		if !a.literal {
			text = a.prefix
		}
		if i > 0 && short.matches(text) && !strings.HasPrefix(text, "--") {
			out = append(out, finding{i, RiskRuns, a.text + " can run another program or write a file"})
		}
		if i > 0 && p.args[0].text == "commit" && commit.matches(text) {
			out = append(out, finding{i, RiskWrites, a.text + " does more than commit: it changes the last commit, or runs another program"})
		}
		if i > 0 && p.args[0].text == "branch" && branch.matches(text) {
			out = append(out, finding{i, RiskWrites, a.text + " changes branches"})
		}
		if strings.Contains(text, "%G") || strings.Contains(text, "%(signature") {
			out = append(out, finding{i, RiskRuns, a.text + " checks signatures with another program"})
		}
		if strings.Contains(text, "::") {
			out = append(out, finding{i, RiskRuns, a.text + " can name a program to connect with"})
		}
	}
	return out
}
