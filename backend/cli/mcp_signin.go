package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/mcp"
)

// mcpSignIn signs in to a server: it opens the browser where there is one, and prints the
// address anyhow. Where the browser runs on another machine, the address that it ends at is
// pasted here.
func mcpSignIn(p *Program, args []string) error {
	flags := newMCPFlags("sign-in")
	ctx, cancel := untilSignal()
	defer cancel()
	rest, open, err := flags.with(p, args, 1, 1)
	if err != nil {
		return err
	}
	defer open.Close()
	err = open.ws.SignInNow(ctx, rest[0], func(page mcp.SignInPage, arrived func(string) error) {
		if openBrowser(page.Address) {
			fmt.Fprintf(p.Stderr, "The browser opens %s. If it does not, open this address:\n", page.Host)
		} else {
			fmt.Fprintln(p.Stderr, "Open this address in a browser. If the page at the end cannot be shown, paste its address here.")
		}
		fmt.Fprintln(p.Stdout, page.Address)
		go pasted(p, arrived)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "You are signed in to %s.\n", clip.VisibleLine(rest[0], 100))
	return nil
}

// pasted reads addresses until one is the right one.
func pasted(p *Program, arrived func(string) error) {
	lines := bufio.NewScanner(p.Stdin)
	for lines.Scan() {
		if lines.Text() == "" {
			continue
		}
		if err := arrived(lines.Text()); err != nil {
			fmt.Fprintln(p.Stderr, "mutsumi: "+err.Error())
			continue
		}
		return
	}
}

// openBrowser opens an address of the web in the person's browser, if there is one on this
// machine that they see.
func openBrowser(address string) bool {
	words := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if words == nil {
		words = []string{"xdg-open"}
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return false
		}
	}
	if os.Getenv("SSH_CONNECTION") != "" {
		return false
	}
	cmd := exec.Command(words[0], append(words[1:], address)...)
	if cmd.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(2 * time.Second): // some stay until the browser ends
		return true
	}
}

// mcpSignOut forgets a sign-in.
func mcpSignOut(p *Program, args []string) error {
	flags := newMCPFlags("sign-out")
	rest, open, err := flags.with(p, args, 1, 1)
	if err != nil {
		return err
	}
	defer open.Close()
	note, err := open.ws.SignOutServer(rest[0])
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintf(p.Stderr, "mutsumi: the sign-in is forgotten here, and the server could not be told: %s\n", note)
	}
	return nil
}
