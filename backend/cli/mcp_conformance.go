package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/subprocess"
)

// mcpConformance is the client of the protocol's conformance tests: it uses everything that the
// server at an address offers, as an agent might. The tests list the calls that they want in
// MCP_CONFORMANCE_CONTEXT.
func mcpConformance(p *Program, args []string) error {
	rest, err := words(flag.NewFlagSet("mcp conformance", flag.ContinueOnError), args, 1, 1)
	if err != nil {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	conn, err := client.Connect(ctx, client.Options{
		Server: config.Server{Name: "conformance", URL: rest[0]}, Log: &subprocess.Tail{}, Asks: agreeing, Auth: pressing(rest[0]),
		Timing: client.Timing{Connect: 20 * time.Second, Quiet: 20 * time.Second},
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	return errors.Join(callAll(ctx, p, conn), readFirst(ctx, conn))
}

// agreeing answers every question of the tests with the proposed values.
func agreeing(_ context.Context, q client.Question) (client.Answer, error) {
	values := map[string]any{}
	for _, f := range q.Fields {
		if f.Required && f.Default == nil {
			values[f.Name] = sampleValue(f.Kind)
		}
	}
	return client.Answer{Action: client.Accept, Values: values}, nil
}

func sampleValue(kind string) any {
	switch kind {
	case "boolean":
		return true
	case "number", "integer":
		return 1
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	return "text"
}

// callAll makes the calls that the tests name, or calls every tool.
func callAll(ctx context.Context, p *Program, conn *client.Conn) error {
	tools, err := conn.Tools(ctx)
	if err != nil {
		return err
	}
	var wanted struct {
		Calls []struct {
			Name string          `json:"name"`
			Args json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &wanted) // nothing, where it is something else
	call := func(name string, args json.RawMessage) error {
		_, err := conn.Call(ctx, client.Call{Tool: name, Args: args})
		if err != nil { // some tests want a call to be refused
			fmt.Fprintf(p.Stderr, "mutsumi: %s: %s\n", clip.Plain(name, 100), clip.OneLine(err.Error()))
		}
		return ctx.Err()
	}
	for _, w := range wanted.Calls {
		if err := call(w.Name, w.Args); err != nil {
			return err
		}
	}
	for _, t := range tools {
		if t.Problem != "" || len(wanted.Calls) > 0 {
			continue
		}
		if err := call(t.Name, samples(t.Schema)); err != nil {
			return err
		}
	}
	return nil
}

// samples makes arguments for a schema.
func samples(schema json.RawMessage) json.RawMessage {
	var object struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	json.Unmarshal(schema, &object) // properties that cannot be read are left out
	args := map[string]any{}
	for name, p := range object.Properties {
		args[name] = sampleValue(p.Type)
	}
	raw, _ := json.Marshal(args) // strings, numbers and booleans
	return raw
}

// readFirst reads the first resource and fills in the first prompt, where there are any.
func readFirst(ctx context.Context, conn *client.Conn) error {
	resources, err := conn.Resources(ctx)
	if err == nil && len(resources) > 0 {
		_, err = conn.Read(ctx, resources[0].URI)
	}
	prompts, promptErr := conn.Prompts(ctx)
	if promptErr == nil && len(prompts) > 0 {
		args := map[string]string{}
		for _, a := range prompts[0].Arguments {
			args[a.Name] = "text"
		}
		_, promptErr = conn.Prompt(ctx, prompts[0].Name, args)
	}
	return errors.Join(err, promptErr)
}
