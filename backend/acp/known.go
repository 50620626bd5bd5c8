package acp

// known is an agent that this program knows how to start.
type known struct {
	id, name string
	starts   []start // the first one whose program is there is used
	home     string  // the page that says how to install it
}

// start is a program and the arguments that make it an agent.
type start struct {
	program string
	args    []string
	older   []string // the arguments of earlier versions; nil: the same
}

// knownAgents are agents of the protocol's registry, and others with a command of their own. Their
// ids are written into notebooks: they stay.
var knownAgents = []known{
	{"claude-code", "Claude Code", []start{{"claude-agent-acp", nil, nil}, {"claude-code-acp", nil, nil}}, "https://github.com/agentclientprotocol/claude-agent-acp"},
	{"codex", "Codex", []start{{"codex-acp", nil, nil}}, "https://github.com/agentclientprotocol/codex-acp"},
	{"gemini", "Gemini CLI", []start{{"gemini", []string{"--acp"}, []string{"--experimental-acp"}}}, "https://github.com/google-gemini/gemini-cli"},
	{"qwen-code", "Qwen Code", []start{{"qwen", []string{"--acp"}, nil}}, "https://github.com/QwenLM/qwen-code"},
	{"opencode", "OpenCode", []start{{"opencode", []string{"acp"}, nil}}, "https://opencode.ai"},
	{"goose", "Goose", []start{{"goose", []string{"acp"}, nil}}, "https://block.github.io/goose/"},
	{"copilot", "GitHub Copilot", []start{{"copilot", []string{"--acp"}, nil}}, "https://github.com/github/copilot-cli"},
	{"cursor", "Cursor", []start{{"cursor-agent", []string{"acp"}, nil}}, "https://cursor.com/docs/cli/acp"},
	{"kimi", "Kimi CLI", []start{{"kimi", []string{"acp"}, nil}}, "https://github.com/MoonshotAI/kimi-cli"},
	{"mistral-vibe", "Mistral Vibe", []start{{"vibe-acp", nil, nil}}, "https://github.com/mistralai/mistral-vibe"},
	{"auggie", "Auggie", []start{{"auggie", []string{"--acp"}, nil}}, "https://docs.augmentcode.com/cli/acp"},
	{"factory-droid", "Factory Droid", []start{{"droid", []string{"exec", "--output-format", "acp"}, nil}}, "https://factory.ai"},
	{"junie", "Junie", []start{{"junie", []string{"--acp=true"}, nil}}, "https://junie.jetbrains.com"},
	{"kiro", "Kiro", []start{{"kiro-cli", []string{"acp"}, nil}}, "https://kiro.dev/docs/cli/acp/"},
	{"qoder", "Qoder", []start{{"qodercli", []string{"--acp"}, nil}}, "https://docs.qoder.com/cli/acp"},
	{"cline", "Cline", []start{{"cline", []string{"--acp"}, nil}}, "https://cline.bot"},
	{"openhands", "OpenHands", []start{{"openhands", []string{"acp"}, nil}}, "https://docs.openhands.dev/openhands/usage/run-openhands/acp"},
	{"cagent", "Docker cagent", []start{{"cagent", []string{"acp"}, nil}}, "https://github.com/docker/cagent"},
	{"hermes", "Hermes", []start{{"hermes", []string{"acp"}, nil}}, "https://hermes-agent.nousresearch.com/docs/user-guide/features/acp"},
	{"pi", "Pi", []start{{"pi-acp", nil, nil}}, "https://github.com/svkozak/pi-acp"},
}
