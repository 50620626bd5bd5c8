package builtin

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Status is whether commands are kept from writing elsewhere.
type Status struct {
	Confined bool   `json:"confined"`
	How      string `json:"how"`   // for a person: what is confined and what is not
	Hides    bool   `json:"hides"` // commands cannot reach this program's own files, whatever folder they may write
	mounts   bool   // commands have mounts of their own
}

// sandboxWord is the hidden first argument with which this program keeps a command.
const sandboxWord = "__sandbox"

// keeper is the input of a keeper process.
type keeper struct {
	Argv     []string
	Writable []string // absolute
	Sockets  []string // absolute: sockets that the person lets commands connect to
	Hide     []string // absolute: sockets that they find covered
	Private  []string // absolute: folders of this program's own, covered too
	Runtime  string   // absolute: the folder of the session's sockets, covered too; "": none
	Dir      string   // absolute: where the command runs
	Confine  bool
	Mounts   bool  // with mounts of its own
	Stage    stage `json:",omitempty"`
}

// stage is the job of a process that was started with sandboxWord.
type stage string

const (
	stageKeep   stage = ""       // watch over everything that the command starts, and end it
	stageSecond stage = "second" // the same again, if the command can kill the keeper above it
	stageEnter  stage = "enter"  // confine itself and become the command
)

func (k keeper) args() []string {
	raw, err := json.Marshal(k)
	if err != nil {
		return nil // strings always marshal
	}
	return []string{sandboxWord, string(raw)}
}

// RunSandbox is the first line of main: if this process was started to keep an agent's command, it
// does that and does not return. Otherwise it does nothing.
func RunSandbox() {
	if len(os.Args) == 3 && os.Args[1] == sandboxWord {
		var k keeper
		if err := json.Unmarshal([]byte(os.Args[2]), &k); err != nil || len(k.Argv) == 0 {
			os.Exit(125)
		}
		os.Exit(keep(k))
	}
}

// writable lists where a command may write.
func writable(c command) []string {
	out := append([]string{}, c.Places...)
	if temp := c.temp(); temp != "" {
		out = append(out, temp)
	}
	for _, dir := range c.Writable {
		if filepath.IsAbs(dir) {
			out = append(out, dir)
		}
	}
	return out
}
