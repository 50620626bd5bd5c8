// Package backend is the map of the program without its window. The groups go from
// the bottom up: each uses mostly those above it.
//
// Small tools:
//
//   - chat: messages, tool calls and usage, as every package speaks of them
//   - fault: errors with a kind, for callers that branch on it
//   - language: the catalogues of the interface's texts in other languages than English
//   - sample: the folder to try the program out in
//   - lock: values that are reachable only while their lock is held
//   - log: writes counts and failures into the state folder, without texts
//   - jsontext: writes JSON without HTML escapes
//   - lenientjson: reads JSON that is cut off or nearly right
//   - lazyregexp: regular expressions that are compiled at their first use
//   - clip: shortens text to fit a line
//   - atomicfile: writes the program's own files whole or not at all
//   - filelock: locks files between processes
//   - frontmatter: reads the YAML head of a Markdown file
//   - slashcommand: reads the commands of a folder, which a prompt names as /name
//   - fingerprint: says whether two texts are the same, and where they differ, without
//     keeping either
//   - halves: runs a loop over many elements as two at the same time
//   - unzeroed: memory for large texts, without zeros written to it first
//   - linediff: compares two texts line by line
//   - glob: matches paths against patterns with "**"
//   - finder: ranks names by a few typed letters
//   - testoutput: reads from a command's output how many tests passed
//   - textsearch: finds and replaces text in a text
//   - title: makes an agent's name from its first prompt
//   - tokens: counts or estimates the tokens of texts
//   - cost: prices requests and checks budgets
//   - fswatch: watches folders, or polls them where the system cannot
//   - jobobject: on Windows, ends with a process everything that it started
//   - process: records which process runs an agent, and checks that it lives
//   - runlock: lets one process at a time run an agent, and says which does
//   - desktop: the system's trash, file manager and notifications
//   - page: decides when the page of a window that failed is loaded again; page/webkit: the
//     web view on Linux
//   - version: the number and the commit of this build
//
// Notebooks and their texts:
//
//   - notebook: the .mtm file: codec, cells, edits, undo, branches, saving, repair
//   - agenttree: computes the tree of agents and the status of each
//   - timeline: records when agents requested, answered, called and waited
//   - event: every event for the interface, and the numbered outbox
//   - macro, ref: find directives, macros and references in a text
//   - typed: tracks which tool calls in prompts the person typed
//   - fork: records which children an agent started, and reports on them
//   - compaction: plans and checks the summary of a long conversation
//
// The folder and what agents may do in it:
//
//   - files: the only way for agents to the person's disk; allowed folders
//   - git: runs the system's git without running what a repository brings
//   - worktree: an agent's own git work tree; worktree/owned: assigns, merges and
//     discards those of a folder's agents
//   - media: prepares images and PDF documents that are pasted, dropped or sent;
//     pdf: counts the pages of a document
//   - rules, kind: read the folder's rules, and the files that define kinds of agents
//   - skills: finds and reads the skills of the folder and of the person
//   - assemble: follows the references of one document
//   - settings: providers, models, keys, preferences, and the person's decisions;
//     preferences: changes them for the person
//   - agentfiles: keeps output and requests of agents outside their notebooks
//   - ledger: keeps the record of what each notebook sent: hashes, parameters, usage
//   - unsaved: keeps text that could not be saved in its folder
//   - access: decides what an agent may touch, and which files of a folder to trust
//   - approval: parses commands, applies grants and denials, and holds the inbox
//   - checkpoint: keeps earlier versions of the files that agents change
//   - coedit: detects agents that write the same files
//
// Models and the agent loop:
//
//   - prompt: builds the messages for a model, with the source of each part
//   - provider: requests and chunks; provider/exchange: sends one request and reads
//     its answer; provider/openai, provider/responses, provider/anthropic: the three
//     protocols; provider/demo: the offline guide; provider/providertest: a scripted
//     server for tests
//   - tool, tool/builtin: what an agent can do
//   - subprocess: runs a program that talks on its standard input and output
//   - acp: has notebooks answered by other agents on this machine; acp/serve: is an agent
//     for editors
//   - mcp: the MCP servers of a folder, one connection each; mcp/config: reads which are
//     set up; mcp/imports: reads those of other programs; mcp/client: speaks the protocol; mcp/signin: signs in;
//     mcp/toolname: names their tools for agents;
//     mcp/offer: makes their tools tools of agents; mcp/serve: offers the folder's
//     notebooks to other programs
//   - agent: the loop of requests and tool calls
//   - coalesce: joins the deltas of an answer into fewer events
//   - loopdetect: detects an agent that repeats itself or is silent
//   - slots: limits how many agents run at once
//   - promptcache: says what a server can be expected to read from its cache
//   - inspect: maps a request to its sources, and compares it with the previous one
//
// One open folder:
//
//   - documents: owns the open notebooks: loads, saves, follows the disk
//   - filehistory: records and restores what agents changed in files
//   - metaedit: edits the metadata that shape a notebook's next requests
//   - naming: chooses the names that the program gives agents
//   - role: resolves an agent's kind to its role, tools, rules and model
//   - folderrules: selects the rules that apply in the folder
//   - catalog: lists, creates, copies, renames and deletes notebooks
//   - images: serves and saves the images of prompts
//   - complete: proposes what could follow in a prompt
//   - lookup: finds cells of all notebooks by their first words
//   - commands: tracks the shell commands of agents
//   - attention: decides when to notify the person
//   - approvals: connects the inbox and the rules with the folder
//   - request: builds what is sent for an agent
//   - runner: runs agents, from the queue to the end of the answer
//   - preview: builds the next request without sending it
//   - branches: forks notebooks, shows their family, compares branches
//   - summaries: compacts conversations, and compares summaries with their cells
//   - workspace: opens, connects and closes all of these, for the interface
//
// Ways in:
//
//   - web: the HTTP handler for the window and for `mutsumi serve`
//   - cli: the command line
//
// Who may import whom is tested (layering_test.go). ARCHITECTURE.md gives the
// reasons.
package backend
