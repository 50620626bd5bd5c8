package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fault"
)

// ModelInfo is a model that a server offers, with the server's description. nil and 0: not
// reported.
type ModelInfo struct {
	ID            string
	Name          string
	ContextTokens int
	Images        *bool
	Documents     *bool // PDF documents
	Tools         *bool
	Reasoning     *bool
}

// modelsPatience bounds the whole of Models: a person waits for it.
const modelsPatience = 20 * time.Second

// Models asks the server for its models, in its order, each once. It makes one attempt; errors are
// those of Stream.
func (c *Client) Models(ctx context.Context) ([]ModelInfo, error) {
	if c.bad != nil {
		return nil, c.bad
	}
	dog := newWatchdog(ctx, modelsPatience)
	defer dog.stop()
	where := requestContext{name: c.cfg.Name, host: c.base.Host, model: "its list of models", lists: true}
	hr, key, err := c.newRequest(dog.ctx, http.MethodGet, "models", nil)
	where.key = key
	if err != nil {
		return nil, err
	}
	hr.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(hr)
	if err != nil {
		return nil, c.modelsFault(ctx, where.unreachable(dog.cause(err), modelsPatience))
	}
	defer resp.Body.Close()
	c.remember(resp.Header)
	if resp.StatusCode != http.StatusOK {
		return nil, c.modelsFault(ctx, where.status(resp))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return nil, c.modelsFault(ctx, where.unreachable(dog.cause(err), modelsPatience))
	}
	list, err := parseModels(body)
	if err != nil {
		text, _ := serverWords(body)
		return nil, fault.New(fault.Provider, "%s does not give a list of models. Its answer begins: %s Check the address in the settings: most end in /v1.", c.cfg.Name, where.quote(text)).WithCode(fault.CodeNotAStream)
	}
	return list, nil
}

func (c *Client) modelsFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f.err
	}
	return err
}

// listed is a model in the list of any of the servers.
type listed struct {
	ID   string `json:"id"`
	Name string `json:"name"` // a title; the id itself in Ollama's own list

	ContextLength    int `json:"context_length"`     // OpenRouter, Together
	MaxContextLength int `json:"max_context_length"` // Mistral, LM Studio
	ContextWindow    int `json:"context_window"`     // Groq
	MaxModelLen      int `json:"max_model_len"`      // vLLM
	Meta             struct {
		Context int `json:"n_ctx"`
		Trained int `json:"n_ctx_train"`
	} `json:"meta"` // llama.cpp
	Architecture struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"` // OpenRouter
	Parameters   []string        `json:"supported_parameters"` // OpenRouter
	Capabilities json.RawMessage `json:"capabilities"`         // Mistral: an object; others: a list
}

func parseModels(body []byte) ([]ModelInfo, error) {
	var list []listed
	var wrapped struct {
		Data   []listed `json:"data"`
		Models []listed `json:"models"`
		Object string   `json:"object"`
	}
	if err := json.Unmarshal(body, &wrapped); err == nil {
		list = wrapped.Data
		if list == nil {
			list = wrapped.Models
		}
		if list == nil && wrapped.Object != "list" {
			return nil, errors.New("no list")
		}
	} else if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	out, seen := make([]ModelInfo, 0, len(list)), map[string]bool{}
	for _, m := range list {
		id := strings.TrimPrefix(cmp.Or(m.ID, m.Name), "models/") // Gemini
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		out = append(out, m.info(id))
	}
	return out, nil
}

func (m listed) info(id string) ModelInfo {
	i := ModelInfo{ID: id, ContextTokens: max(0, cmp.Or(m.ContextLength, m.MaxContextLength, m.ContextWindow, m.MaxModelLen, m.Meta.Context, m.Meta.Trained))}
	if m.Name != id && m.Name != m.ID {
		i.Name = m.Name
	}
	has := func(list []string, word string) *bool {
		if list == nil {
			return nil
		}
		return new(slices.Contains(list, word))
	}
	i.Images, i.Documents = has(m.Architecture.Input, "image"), has(m.Architecture.Input, "file")
	i.Tools = has(m.Parameters, "tools")
	i.Reasoning = has(m.Parameters, "reasoning")
	var object struct {
		Vision    *bool `json:"vision"`
		Tools     *bool `json:"function_calling"`
		Reasoning *bool `json:"reasoning"`
	}
	var words []string
	switch {
	case json.Unmarshal(m.Capabilities, &object) == nil:
		i.Images, i.Tools, i.Reasoning = cmp.Or(i.Images, object.Vision), cmp.Or(i.Tools, object.Tools), cmp.Or(i.Reasoning, object.Reasoning)
	case json.Unmarshal(m.Capabilities, &words) == nil && words != nil:
		i.Images = cmp.Or(i.Images, new(slices.Contains(words, "vision") || slices.Contains(words, "multimodal")))
		i.Tools = cmp.Or(i.Tools, new(slices.Contains(words, "tools") || slices.Contains(words, "tool_use")))
	}
	return i
}
