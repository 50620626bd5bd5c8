// Package backend is the map of the program without its window. In reading order:
//
//   - chat, fault: the words everything speaks, the errors somebody branches on; jsontext: JSON without escapes for HTML;
//     lenientjson: JSON that broke off or is nearly right;
//     clip: text shortened for a line; atomicfile: files of the program itself, written whole or not at all
//   - notebook: the .mtm file, its cells, edits, undo, and getting it to disk
//   - frontmatter: the YAML between --- at the head of a file; linediff: the difference of two texts by lines;
//     glob: paths with "**"; filelock: locks of files, between processes
//   - unsaved: text that has no place in its folder, in the state folder;
//     agentfiles: what is kept for agents outside their notebooks
//   - git: the system's git, kept from running what a repository brings; worktree: an agent's own copy of the folder;
//     worktree/owned: which agent works in which
//   - process: which process runs an agent, and whether it still lives
//   - agenttree: the tree of agents and each one's computed state
//   - event: the one list of events for the interface, and the numbered outbox
//   - timeline: when an agent asked, answered, called and waited, for the flight deck
//   - macro, ref: directives and references in a text, found in one pass
//   - files: the only door to the person's disk for agents; desktop: trash, file manager and notifications
//   - fswatch: changes on the disk, reported by the system or found by polling
//   - finder: names found by a few of their letters; complete: what could follow in a prompt; title: an agent's name from its first prompt
//   - assemble: one document with its references followed; rules: the folder's rules;
//     kind: kinds of agents, files that say what an agent is for and may use
//   - media: images pasted, dropped and sent
//   - prompt: what a model gets, and where each piece of it came from; tokens: what texts count
//   - provider: requests and chunks; provider/exchange: one request and its answer, carried, repeated and watched;
//     provider/openai: the chat API; provider/demo: the offline guide; provider/providertest: a scripted server for tests
//   - tool, tool/builtin: what an agent can do; agent: the loop;
//     coalesce: its deltas joined into few events; loopdetect: whether it makes progress
//   - lock: values that only their lock gives; slots: how many agents run at once; attention: notifications outside of the window
//   - compaction: how a long conversation is replaced by a summary, planned, priced and checked
//   - inspect: what a request holds on the wire, and how it differs from the one before
//   - approval: what may run, and who decides; coedit: files that several agents write; checkpoint: undo for files; cost: what requests cost
//   - settings: providers, keys, preferences; preferences: what the person changes of them; access: what an agent may touch, and trust in what a folder brings
//   - fork: which agents an agent started, and what it hears of them;
//     typed: which tool calls in prompts a person typed here
//   - documents: the open notebooks of a folder, the owner of everything that changes in them;
//     filehistory: what agents changed in files, kept and taken back
//   - naming: the names that the program gives agents; metaedit: what a notebook says of its next requests, changed;
//     role: what an agent is by its kind; folderrules: which rules count in a folder;
//     catalog: notebooks listed, made, copied, renamed and deleted; images: those that prompts show
//   - commands: those that agents run; approvals: what waits for the person in a folder
//   - request: what is sent for an agent, made; runner: agents run, from the queue to the end of the answer;
//     preview: the next request of a cell, shown and not sent; summaries: conversations compacted
//   - workspace: one open folder: opens, connects and closes the parts, and holds what the interface asks of them
//   - web: the HTTP handler behind both faces; cli: the program without a window
//
// Who may import whom is a test: layering_test.go. Why it is so is in
// ARCHITECTURE.md.
package backend
