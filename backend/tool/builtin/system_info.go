package builtin

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"mutsumi/backend/tool"
)

func systemInfo(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "system_info", Description: describe("system_info"), Reads: true,
	}, func(_ context.Context, env tool.Env, _ struct{}) tool.Result {
		now := time.Now
		if env.Now != nil {
			now = env.Now
		}
		var b strings.Builder
		t := now()
		fmt.Fprintf(&b, "system: %s %s, %d processors\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
		fmt.Fprintf(&b, "date: %s\ntime: %s\n", t.Format("Monday, 2 January 2006"), t.Format("15:04:05 -07:00 MST"))
		fmt.Fprintf(&b, "workspace: %s\n", o.Roots.Workspace())
		fmt.Fprintf(&b, "may be touched: %s\n", strings.Join(o.Roots.Places(), ", "))
		var have []string
		for _, program := range []string{"git", "rg", "go", "node", "npm", "python3", "cargo", "java", "gcc", "make", "docker"} {
			if _, err := exec.LookPath(program); err == nil {
				have = append(have, program)
			}
		}
		fmt.Fprintf(&b, "programs found: %s", strings.Join(have, ", "))
		return tool.Text(b.String())
	})
}
