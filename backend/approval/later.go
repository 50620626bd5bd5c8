package approval

import (
	"path"
	"path/filepath"
	"strings"
)

// RunsLater reports whether another program may run or obey a file at path without anybody naming
// it again: a hook, an editor task, a build script, a notebook. why is a phrase for the person. The
// path may be absolute or relative; links are not followed.
func RunsLater(path string) (why string, ok bool) {
	_, why = decisive(path)
	return why, why != ""
}

// controlFolders hold files that decide what programs do.
var controlFolders = map[string]string{
	".git": "git runs hooks and settings from it", ".hg": "Mercurial runs hooks from it", ".svn": "Subversion keeps its settings in it",
	".mutsumi": "agents follow what is in it", ".ssh": "ssh obeys it",
	".husky": "git runs the hooks in it", ".githooks": "git may run the hooks in it", ".lefthook": "git runs the hooks in it",
	".vscode": "the editor runs tasks from it", ".idea": "the editor runs configurations from it", ".zed": "the editor runs tasks from it", ".fleet": "the editor runs tasks from it",
	".devcontainer": "the editor builds and starts it", ".circleci": "CI runs it", ".buildkite": "CI runs it", ".gitlab": "CI runs it",
	".cargo": "cargo runs programs that it names", ".yarn": "yarn runs programs in it", ".mvn": "Maven runs what it names", ".cmake": "CMake runs what it names",
	".claude": "agents run commands that it names", ".cursor": "agents run commands that it names", ".codex": "agents run commands that it names", ".gemini": "agents run commands that it names", ".agents": "agents follow what is in it",
}

// controlPairs are a folder and one in it.
var controlPairs = map[string]string{".github/workflows": "CI runs it", ".github/actions": "CI runs it", ".config/nvim": "the editor runs it", ".config/fish": "the shell runs it", ".config/git": "git runs programs that it names", ".config/systemd": "the system starts it", ".config/autostart": "the system starts it"}

// controlFiles are names of files that programs run or obey.
var controlFiles = filesWhy(map[string]string{
	"git runs programs that it names":          ".gitattributes .gitmodules .gitconfig",
	"git takes its folder for a repository":    "head",
	"hooks run from it":                        ".lfsconfig .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .lefthook.yml .overcommit.yml",
	"its scripts are run by name":              "package.json composer.json deno.json deno.jsonc turbo.json nx.json lerna.json nodemon.json package.swift project.clj mix.exs rebar.config phpunit.xml phpunit.xml.dist",
	"the package manager obeys it":             ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml pip.conf .pypirc nuget.config .pnp.cjs .pnp.js .pnp.loader.mjs pnpmfile.cjs",
	"the build runs it":                        "makefile gnumakefile bsdmakefile justfile .justfile taskfile.yml taskfile.yaml rakefile gemfile podfile fastfile build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew gradlew.bat mvnw pom.xml build.xml build.sbt cmakelists.txt cmakepresets.json meson.build build.rs build.zig build.ninja sconstruct wscript dodo.py build.bazel workspace.bazel module.bazel .bazelrc dockerfile containerfile earthfile skaffold.yaml skaffold.yml pulumi.yaml docker-compose.yml docker-compose.yaml compose.yml compose.yaml vagrantfile procfile tiltfile go.mod go.work cargo.toml rust-toolchain rust-toolchain.toml init.gradle gradle-wrapper.properties gradle-wrapper.jar flake.nix shell.nix default.nix gulpfile.js gruntfile.js brunch-config.js webpack.mix.js .air.toml air.toml configure autogen.sh",
	"Python runs it":                           "conftest.py setup.py setup.cfg pyproject.toml tox.ini pytest.ini noxfile.py sitecustomize.py usercustomize.py manage.py",
	"CI runs it":                               "jenkinsfile .gitlab-ci.yml .gitlab-ci.yaml .travis.yml azure-pipelines.yml bitbucket-pipelines.yml appveyor.yml .appveyor.yml .drone.yml cloudbuild.yaml cloudbuild.yml .cirrus.yml .woodpecker.yml action.yml action.yaml",
	"the shell runs it on entering the folder": ".envrc .mise.toml mise.toml .tool-versions .autoenv .env.ps1 .env .env.local",
	"the shell runs it when it starts":         ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc .cshrc .tcshrc .inputrc .xprofile .xsessionrc .xinitrc",
	"the editor runs it":                       ".vimrc .exrc .nvimrc .nvim.lua .gvimrc .lvimrc .vimrc.local .emacs .dir-locals.el .devcontainer.json",
	"the debugger runs it":                     ".gdbinit .lldbinit",
	"the language runs it when it starts":      ".rprofile .pryrc .irbrc .ghci .ocamlinit .octaverc .pythonrc .psqlrc .sqliterc",
	"agents start the servers that it names":   ".mcp.json mcp.json opencode.json",
	"agents follow what is in it":              "agents.md claude.md gemini.md .cursorrules .windsurfrules .clinerules copilot-instructions.md",
})

// controlEndings are endings of names of such files.
var controlEndings = map[string]string{
	".mtm": "it is a notebook: an agent follows its prompts", ".mk": "the build runs it", ".cmake": "the build runs it", ".pth": "Python runs it",
	".code-workspace": "the editor runs tasks from it", ".desktop": "the system starts programs that it names", ".service": "the system starts programs that it names", ".gemspec": "the build runs it",
}

func filesWhy(lists map[string]string) map[string]string {
	out := map[string]string{}
	for why, names := range lists {
		for _, name := range strings.Fields(names) {
			out[name] = why
		}
	}
	return out
}

// decisive returns the part of a path because of which RunsLater reports it, as written there, and
// why; both are "" for other files.
func decisive(file string) (part, why string) {
	parts := strings.Split(filepath.ToSlash(file), "/")
	for i, p := range parts {
		low := strings.ToLower(strings.TrimRight(p, ". ")) // as Windows reads names
		if low == "" {
			continue
		}
		if why := controlFolders[low]; why != "" {
			return p, why
		}
		if len(low) > len(".git") && strings.HasSuffix(low, ".git") {
			return p, "git takes it for a repository"
		}
		if i > 0 {
			if why := controlPairs[strings.ToLower(parts[i-1])+"/"+low]; why != "" {
				return p, why
			}
		}
		if i < len(parts)-1 {
			continue
		}
		if why := controlFiles[low]; why != "" {
			return p, why
		}
		if why := controlEndings[path.Ext(low)]; why != "" {
			return p, why
		}
		if configures(low) {
			return p, "the tools that it configures run it"
		}
		if strings.HasPrefix(low, "dockerfile.") || strings.HasPrefix(low, "makefile.") {
			return p, "the build runs it"
		}
	}
	return "", ""
}

// configures reports whether a name is that of a script which sets up a tool of
// JavaScript, like vite.config.ts and .eslintrc.cjs, or of settings that name
// plugins to run.
func configures(low string) bool {
	name, ending := strings.TrimSuffix(low, path.Ext(low)), path.Ext(low)
	switch ending {
	case ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts":
		return strings.Contains(name+".", ".config.") || strings.HasSuffix(name, ".conf") || strings.HasPrefix(name, ".") && strings.HasSuffix(name, "rc")
	case ".json", ".yml", ".yaml", ".toml":
		return scriptedSettings[name]
	}
	return scriptedSettings[low]
}

// scriptedSettings are settings that name programs or plugins to run.
var scriptedSettings = setOf(".babelrc .eslintrc .lintstagedrc .mocharc .nycrc .stylelintrc .prettierrc .swcrc")

// controlFolder returns the folder in a path whose files control what programs do, or "".
func controlFolder(path string) string {
	for _, p := range strings.Split(filepath.ToSlash(path), "/") {
		if controlFolders[strings.ToLower(p)] != "" {
			return p
		}
	}
	return ""
}
