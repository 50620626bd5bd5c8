//go:build !bindings

// Mutsumi: several LLM agents at work on one folder of files. See README.md
// for what it does and ARCHITECTURE.md for how it is made.
package main

import (
	"embed"
	"io/fs"
	"os"
	"runtime/debug"

	"mutsumi/backend/cli"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/workspace"
)

//go:embed all:frontend/dist
var dist embed.FS

//go:embed all:assets
var assets embed.FS

func main() {
	builtin.RunSandbox() // does not return in a process that confines an agent's command
	lasts := func() {}
	if os.Getenv("GOGC") == "" {
		lasts = boundGarbage
		debug.SetGCPercent(shortPercent)
	}
	os.Exit(cli.Main(cli.Program{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Interface: sub(dist, "frontend/dist"), Rules: sub(assets, "assets/rules"), Kinds: sub(assets, "assets/agents"), Sample: sub(assets, "assets/sample"),
		Chinese: sub(assets, "assets/zh-CN"),
		Lasts:   lasts, Large: largePages, Window: openWindow,
		Calls: func(ws *workspace.Workspace) any { return &App{ws, headless{}} },
	}))
}

func sub(tree fs.FS, dir string) fs.FS {
	t, err := fs.Sub(tree, dir)
	if err != nil {
		panic(err) // the name is a constant
	}
	return t
}
