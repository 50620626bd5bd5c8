// Package backend is the map of the program without its window. In reading order:
//
//   - chat, fault: the words everything speaks, the errors somebody branches on; jsontext: JSON without escapes for HTML
//   - notebook: the .mtm file, its cells, edits, undo, and getting it to disk
//   - unsaved: text that has no place in its folder, in the state folder
//   - process: which process runs an agent, and whether it still lives
//   - agenttree: the tree of agents and each one's computed state
//   - event: the one list of what the interface is told, and the numbered outbox
//   - macro, ref: directives and references in a text, found in one pass
//   - files: the only door to the person's disk for agents; desktop: trash and file manager
//   - fswatch: what changes on the disk, told by the system or found by looking
//   - finder: names found by a few of their letters, for completion; title: an agent's name from its first prompt
//   - assemble: one document with its references followed; rules: the folder's rules
//   - media: images pasted, dropped and sent
//   - prompt: what a model gets, and where each piece of it came from; tokens: what texts count
//   - provider: requests and chunks; provider/openai: the client;
//     provider/demo: the offline guide; provider/providertest: a scripted server for tests
//   - tool, tool/builtin: what an agent can do; agent: the loop
//   - inspect: what a request holds on the wire, and how it differs from the one before
//   - approval: what may run, and who decides; checkpoint: undo for files; cost: what requests cost
//   - settings: providers, keys, preferences
//   - workspace: one open folder, the owner of everything that changes
//   - web: the HTTP handler behind both faces; cli: the program without a window
//
// Who may import whom is a test: layering_test.go. Why it is so stands in
// ARCHITECTURE.md.
package backend
