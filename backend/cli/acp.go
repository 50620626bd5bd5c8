package cli

import (
	"flag"

	acpagent "mutsumi/backend/acp/serve"
	"mutsumi/backend/clip"
)

// acpCommand is this program as an agent for editors, on standard input and output (SPEC 14.4). The
// editor says which folders are opened.
func acpCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("acp", flag.ContinueOnError)
	trust := flags.Bool("trust", false, "")
	if _, err := words(flags, args, 0, 0); err != nil {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	log := &line{to: p.Stderr}
	return acpagent.Serve(ctx, acpagent.Options{
		Open: func(folder string) (acpagent.Folder, error) {
			open, err := openWorkspace(p, openOptions{Folder: folder, Trust: *trust, Unseen: true})
			if err != nil {
				return acpagent.Folder{}, err
			}
			return acpagent.Folder{Workspace: open.ws, Close: open.Close}, nil
		},
		Say: func(text string) { log.print("mutsumi: %s\n", clip.OneLine(text)) },
	}, p.Stdin, p.Stdout)
}
