package mcptest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Revision names the variable with the revision of the protocol that a server of the manners
// "old" and "twice" says it has.
const Revision = "MCPTEST_REVISION"

// incoming reads the messages of a client, one each.
func incoming(each func(id json.RawMessage, method string, params json.RawMessage)) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		if m.Method == "" { // an answer
			m.Params = m.Result
			if m.Error != nil {
				m.Params = m.Error
			}
		}
		each(m.ID, m.Method, m.Params)
	}
}

// byHand is a server of the first revision. It lets a request that it does not know stand
// ("old"), answers everything twice and then lists tools that are none ("twice"), or answers in
// lists, as servers of the second revision may ("batch"), or says never which tools it has ("half").
func byHand(manner string) {
	revision := cmp.Or(os.Getenv(Revision), map[string]string{"batch": "2025-03-26"}[manner], "2024-11-05")
	incoming(func(id json.RawMessage, method string, _ json.RawMessage) {
		result := ""
		switch method {
		case "initialize":
			result = `{"protocolVersion":"` + revision + `","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"0"}}`
		case "tools/list":
			if manner == "half" {
				return
			}
			result = `{"tools":[{"name":"hello","inputSchema":{"type":"object"}}]}`
			if manner == "twice" {
				result = `{"tools":[{"name":"hello","inputSchema":{"type":"object"}},{"name":"hello","inputSchema":{"type":"object"}},{"name":"a\u202eb","inputSchema":{"type":"object"}},{"name":"text","inputSchema":{"type":"string"}},{"name":"","inputSchema":{"type":"object"}}]}`
			}
		case "tools/call":
			result = `{"content":[{"type":"text","text":"hello"}]}`
		default:
			if manner == "half" {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", id)
			}
			return
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		if manner == "batch" && method != "initialize" {
			answer = "[" + answer + "]"
		}
		fmt.Println(answer)
		if manner == "twice" {
			fmt.Println(answer)
		}
	})
}

// late is a server whose every call changes its tools: it says so, and leaves the next request for
// their list unanswered. It refuses the first request for its prompts.
func late() {
	calls, lists, hangs := 0, 0, false
	incoming(func(id json.RawMessage, method string, _ json.RawMessage) {
		result := ""
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}},"serverInfo":{"name":"late","version":"0"}}`
		case "tools/list":
			if hangs {
				hangs = false
				fmt.Fprintln(os.Stderr, Hangs)
				return
			}
			result = fmt.Sprintf(`{"tools":[{"name":"hello","description":"After %d calls.","inputSchema":{"type":"object"}}]}`, calls)
			if calls > 0 {
				result = strings.Replace(result, `]}`, `,{"name":"new","inputSchema":{"type":"object"}}]}`, 1)
			}
		case "tools/call":
			calls++
			hangs = true
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			result = `{"content":[{"type":"text","text":"hello"}]}`
		case "prompts/list":
			if lists++; lists == 1 {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not yet"}}`+"\n", id)
				return
			}
			result = fmt.Sprintf(`{"prompts":[{"name":"greet","description":"Request %d."}]}`, lists)
		case "resources/list":
			result = `{"resources":[{"uri":"test:///note","name":"note"}]}`
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", id)
			return
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	})
}

// slow is a server that takes 300 ms to list its resources.
func slow() {
	incoming(func(id json.RawMessage, method string, _ json.RawMessage) {
		result := `{"tools":[]}`
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"slow","version":"0"}}`
		case "resources/list":
			time.Sleep(300 * time.Millisecond)
			result = `{"resources":[{"uri":"test:///note","name":"note"}]}`
		case "resources/templates/list":
			result = `{"resourceTemplates":[]}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	})
}

// stubborn is a server that sends the client what its tool "send" is called with, a method and
// params, and answers with what comes back: a cancelled call goes on, and so does its question.
func stubborn() {
	var call json.RawMessage
	incoming(func(id json.RawMessage, method string, params json.RawMessage) {
		result := ""
		switch method {
		case "":
			said, err := json.Marshal(string(params))
			if err != nil {
				return
			}
			fmt.Fprintf(os.Stderr, "came back: %s\n", params)
			id, result = call, `{"content":[{"type":"text","text":`+string(said)+`}]}`
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"stubborn","version":"0"}}`
		case "tools/list":
			result = `{"tools":[{"name":"send","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			var of struct {
				Arguments struct {
					Method string          `json:"method"`
					Params json.RawMessage `json:"params"`
				} `json:"arguments"`
			}
			if json.Unmarshal(params, &of) == nil {
				call = id
				fmt.Printf(`{"jsonrpc":"2.0","id":"sent","method":%q,"params":%s}`+"\n", of.Arguments.Method, of.Arguments.Params)
			}
			return
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", id)
			return
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	})
}
