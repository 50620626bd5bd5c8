package cli

import (
	"errors"
	"flag"
	"io"

	mcpserver "mutsumi/backend/mcp/serve"
)

// mcpServe is an MCP server on standard input and output for the notebooks of a folder (SPEC 13.5).
// Its runs take the same flags as `run`.
func mcpServe(p *Program, args []string) error {
	flags := flag.NewFlagSet("mcp serve", flag.ContinueOnError)
	model := flags.String("model", "", "")
	approve := flags.String("approve", "reads", "")
	trust := flags.Bool("trust", false, "")
	rest, err := words(flags, args, 0, 1)
	if err != nil {
		return err
	}
	policy, err := unattended(flags.Name(), *approve)
	if err != nil {
		return err
	}
	folder := "."
	if len(rest) > 0 {
		folder = rest[0]
	}
	ctx, cancel := untilSignal()
	defer cancel()
	open, err := openWorkspace(p, openOptions{Folder: folder, Model: *model, Tools: policy, Trust: *trust, Unseen: true})
	if err != nil {
		return err
	}
	defer open.Close()
	sayWhatIsInert(p, open.ws, "")
	in, ok := p.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(p.Stdin)
	}
	err = mcpserver.Serve(ctx, mcpserver.Options{Workspace: open.ws, Policy: policy, Model: *model}, in, unclosed{p.Stdout})
	return errors.Join(err, open.Close())
}

// unclosed is a writer that its user does not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
