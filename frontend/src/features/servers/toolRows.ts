/* The rows of the tools pane: what the next request holds, by server and tool. */
import type { mcp, preview } from '$lib/backend/backend'
import { t } from '$lib/language/language'

/** A row of the pane. Ids are unique and stable. */
export type ToolRow =
  | { id: string; kind: 'caption'; title: string; tokens: number; of: string }
  | { id: string; kind: 'group'; name: string; tools: number; tokens: number }
  | { id: string; kind: 'server'; server: preview.ServerTools; view: mcp.View | undefined; open: boolean }
  | { id: string; kind: 'facts'; server: preview.ServerTools; view: mcp.View }
  | { id: string; kind: 'tool'; server: preview.ServerTools; tool: preview.ServerTool }
  | { id: string; kind: 'log'; name: string; text: string }

/** The state of a switch before the answer has come. */
export type IsOn = (part: { id: string; state: string }) => boolean

const groupNames: Record<string, string> = {
  read: t`Read and search`,
  change: t`Change`,
  shell: t`Shell`,
  agents: t`Agents`,
  '': t`Every kind of agent`,
}

/** heldBack reports whether the state of a server keeps its tools from being called. */
export function heldBack(view: mcp.View | undefined): boolean {
  return view !== undefined && (view.changed.length > 0 || view.problem !== '' || ['failed', 'signIn', 'stopped'].includes(view.state))
}

/** isOffered reports whether an agent is offered a tool, according to the person's last switches. */
export const isOffered = (server: preview.ServerTools, tool: preview.ServerTool, isOn: IsOn): boolean =>
  isOn(server) && server.state !== 'kind' && isOn(tool) && tool.state !== 'kind' && tool.state !== 'unfit'

/** A server's rows stay the same objects, so that unfolding another server does not redraw them. */
const made = new WeakMap<preview.ServerTools, ToolRow[]>()

function rowsOfTools(server: preview.ServerTools): ToolRow[] {
  let rows = made.get(server)
  if (!rows) {
    rows = server.tools.map((tool) => ({ id: `tool:${tool.id}`, kind: 'tool', server, tool }))
    made.set(server, rows)
  }
  return rows
}

/** toolRows lists the program's own tools, then servers whose tools are sent, are found by searching, or are held back. */
export function toolRows(
  offered: preview.Offered,
  views: readonly mcp.View[],
  open: ReadonlySet<string>,
  log: { server: string; text: string } | undefined,
): ToolRow[] {
  const rows: ToolRow[] = []
  const own = offered.groups.reduce((n, g) => n + g.tokens, 0)
  if (offered.groups.length > 0) rows.push({ id: 'own', kind: 'caption', title: t`Built in`, tokens: own, of: '' })
  for (const g of offered.groups)
    rows.push({ id: `group:${g.name}`, kind: 'group', name: groupNames[g.name] ?? g.name, tools: g.tools, tokens: g.tokens })

  const sent: preview.ServerTools[] = []
  const searched: preview.ServerTools[] = []
  const held: preview.ServerTools[] = []
  for (const server of offered.servers) {
    const view = views.find((v) => v.name === server.name)
    if (server.sent > 0) sent.push(server)
    else if (heldBack(view)) held.push(server)
    else searched.push(server)
  }
  const add = (title: string, tokens: number, of: string, servers: preview.ServerTools[]) => {
    if (servers.length === 0) return
    rows.push({ id: title, kind: 'caption', title, tokens, of })
    for (const server of servers) rows.push(...serverRows(server, views, open, log))
  }
  add(
    t`MCP, always sent`,
    sent.reduce((n, s) => n + s.sent, 0),
    '',
    sent,
  )
  add(t`MCP, found by search`, offered.search, t`for all`, searched)
  add(t`Held back`, 0, '', held)
  return rows
}

function serverRows(
  server: preview.ServerTools,
  views: readonly mcp.View[],
  opened: ReadonlySet<string>,
  log: { server: string; text: string } | undefined,
): ToolRow[] {
  const view = views.find((v) => v.name === server.name)
  const open = opened.has(server.name)
  const rows: ToolRow[] = [{ id: `server:${server.name}`, kind: 'server', server, view, open }]
  if (!open) return rows
  if (view) rows.push({ id: `facts:${server.name}`, kind: 'facts', server, view })
  if (log?.server === server.name) rows.push({ id: `log:${server.name}`, kind: 'log', name: server.name, text: log.text })
  return [...rows, ...rowsOfTools(server)]
}
