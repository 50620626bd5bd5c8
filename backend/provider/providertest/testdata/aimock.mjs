// Serves aimock, an independent implementation of the chat API, until standard
// input ends. Prints its address. Run from frontend/, where its module lies.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(process.cwd() + '/')
const { LLMock } = await import(pathToFileURL(require.resolve('@copilotkit/aimock')).href)

const server = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 7 })
server.onMessage('plain', { content: 'Hello from another implementation.' })
server.onMessage('usage', { content: 'counted', usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } })
server.onMessage('think', { content: 'So it is.', reasoning: 'First this, then that.' })
server.onMessage('length', { content: 'cut', finishReason: 'length' })
server.onMessage('tools', { toolCalls: [{ name: 'ls', arguments: '{"uri":"."}' }, { name: 'read_file', arguments: '{"uri":"a.txt"}' }] })
server.onMessage('both', { content: 'I look.', toolCalls: [{ name: 'ls', arguments: '{}' }] })
server.onMessage('limit', { error: { message: 'Rate limit reached', type: 'rate_limit_error', code: 'rate_limit_exceeded' }, status: 429 })
server.onMessage('overload', { error: { message: 'Overloaded', type: 'server_error' }, status: 503 })
server.onMessage('long', { error: { message: "This model's maximum context length is 8192 tokens.", type: 'invalid_request_error', code: 'context_length_exceeded' }, status: 400 })
server.onMessage('denied', { error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' }, status: 401 })
server.onMessage('torn', { content: 'This is torn in the middle of what it says.' }, { truncateAfterChunks: 4, latency: 20 })
server.onMessage('dropped', { content: 'never' }, { chaos: { disconnectRate: 1 } })
server.onMessage('garbled', { content: 'never' }, { chaos: { malformedRate: 1 } })
await server.start()
console.log(server.url)

process.stdin.resume()
process.stdin.on('end', () => server.stop().finally(() => process.exit(0)))
