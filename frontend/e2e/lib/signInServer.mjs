// An MCP server over HTTP to which people sign in, and where they do.
import { createHash } from 'node:crypto'
import http from 'node:http'

const tools = [{ name: 'issues', description: 'Lists issues.', inputSchema: { type: 'object' } }]

/** startSignIn starts both. Its tokens begin with secretOf, so that a test can look for them. */
export async function startSignIn(t, secretOf = 'a-token-of-') {
  const state = { decline: false, asked: 0, revoked: 0, tokens: new Set(), codes: new Map(), wrong: [] }
  let issuer = ''
  let resource = ''
  const json = (res, value, status = 200) => res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const body = async (req) => {
    let text = ''
    for await (const part of req) text += part
    return text
  }
  const listen = async (handler) => {
    const server = http.createServer((req, res) => void handler(req, res).catch((e) => res.writeHead(500).end(String(e))))
    await new Promise((done) => server.listen(0, '127.0.0.1', done))
    t.after(() => (server.closeAllConnections(), server.close()))
    return `http://127.0.0.1:${server.address().port}`
  }
  const give = (res) => {
    const token = secretOf + (state.tokens.size + 1)
    state.tokens.add(token)
    json(res, { access_token: token, refresh_token: secretOf + 'refresh', token_type: 'Bearer', expires_in: 3600 })
  }
  issuer = await listen(async (req, res) => {
    const url = new URL(req.url, issuer)
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(res, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
        })
      case '/register':
        await body(req)
        return json(res, { client_id: 'mutsumi', token_endpoint_auth_method: 'none' }, 201)
      case '/authorize': {
        state.asked++
        const back = new URL(url.searchParams.get('redirect_uri'))
        state.codes.set('code-of-it', url.searchParams.get('code_challenge'))
        for (const [k, v] of Object.entries({
          state: url.searchParams.get('state'),
          iss: issuer,
          ...(state.decline ? { error: 'access_denied' } : { code: 'code-of-it' }),
        }))
          back.searchParams.set(k, v)
        return res.writeHead(302, { location: back.href }).end()
      }
      case '/token': {
        const form = new URLSearchParams(await body(req))
        const proof = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        if (form.get('grant_type') === 'authorization_code' && state.codes.get(form.get('code')) !== proof) state.wrong.push('code')
        if (form.get('resource') !== resource) state.wrong.push('resource')
        return give(res)
      }
      case '/revoke':
        await body(req)
        state.revoked++
        return res.end()
    }
    res.writeHead(404).end()
  })
  const base = await listen(async (req, res) => {
    if (req.url === '/.well-known/oauth-protected-resource/mcp') return json(res, { resource, authorization_servers: [issuer] })
    if (!state.tokens.has((req.headers.authorization ?? '').replace('Bearer ', '')))
      return res.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
    if (req.method !== 'POST') return res.writeHead(405).end()
    const m = JSON.parse(await body(req))
    const answer = (result) => json(res, { jsonrpc: '2.0', id: m.id, result })
    switch (m.method) {
      case 'initialize':
        return answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'Tracker', version: '1' } })
      case 'tools/list':
        return answer({ tools })
      case 'tools/call':
        return answer({ content: [{ type: 'text', text: 'no issues' }] })
    }
    if (m.id === undefined) return res.writeHead(202).end()
    json(res, { jsonrpc: '2.0', id: m.id, error: { code: -32601, message: 'unknown' } })
  })
  resource = `${base}/mcp`
  return { ...state, state, url: resource, issuer }
}
