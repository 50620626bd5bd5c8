import type { Component } from 'svelte'
import FilePen from '@lucide/svelte/icons/file-pen'
import FilePlus from '@lucide/svelte/icons/file-plus'
import FolderPlus from '@lucide/svelte/icons/folder-plus'
import SquareTerminal from '@lucide/svelte/icons/square-terminal'
import Wrench from '@lucide/svelte/icons/wrench'
import type { approval } from '$lib/backend/backend'

export type Request = approval.Request
export type Scope = 'once' | 'agent' | 'notebook' | 'always'

/** How far a decision can reach, in the order of the keys 1 to 4. */
export const scopes: readonly { value: Scope; label: string; more: string }[] = [
  { value: 'once', label: 'Once', more: 'This call alone.' },
  { value: 'agent', label: 'This agent', more: 'Until the program ends.' },
  { value: 'notebook', label: 'This notebook', more: 'Kept in the notebook, for this computer alone.' },
  { value: 'always', label: 'Always', more: 'Every agent in every folder. Kept in the settings.' },
]

export const scopeName = (scope: string): string => scopes.find((s) => s.value === scope)?.label ?? scope

const titles: Record<string, { title: string; icon: Component }> = {
  shell: { title: 'Run a command', icon: SquareTerminal },
  shell_kill: { title: 'End a command', icon: SquareTerminal },
  write_file: { title: 'Write a file', icon: FilePlus },
  edit_file: { title: 'Edit a file', icon: FilePen },
  mkdir: { title: 'Make a folder', icon: FolderPlus },
}

/** What the agent wants to do, as a heading. */
export function titleOf(r: Request): string {
  if (r.tool === 'write_file' && r.changes?.length === 1) return r.changes[0]!.new ? 'Make a file' : 'Replace a file'
  return titles[r.tool]?.title ?? `Use ${r.tool}`
}
export const iconOf = (tool: string): Component => titles[tool]?.icon ?? Wrench

/** What it acts on, in a line: the command or the files, else the arguments. */
export function subjectOf(r: Request): string {
  if (r.command) return line(r.command.text)
  if (r.changes?.length) return r.changes.map((c) => c.path).join(', ')
  const args = objectOf(r.arguments)
  const one = args && (args.uri ?? args.path ?? args.command ?? (Object.keys(args).length === 1 ? Object.values(args)[0] : undefined))
  return line(typeof one === 'string' ? one : r.arguments)
}

const line = (text: string) => text.slice(0, 400).replace(/\s+/g, ' ').trim()

/** A JSON object, or undefined. */
export function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The argument that a person edits as text, when a tool has one that says it all. */
export const fieldOf = (tool: string): string => (tool === 'shell' ? 'command' : tool === 'write_file' ? 'content' : '')

/** What a part of a command is called. */
export const partNames: Record<string, string> = {
  program: 'Runs',
  redirect: 'Redirect',
  heredoc: 'Text',
  assignment: 'Sets',
  substitution: 'Puts in',
  pipe: 'Pipe',
  control: 'Flow',
  unknown: 'Unknown',
}
