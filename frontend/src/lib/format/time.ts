import { locale, t } from '$lib/language/language'
import { whenUsed } from './whenUsed'

/* Times as the interface displays them, in its own language and not in the
   system's; the caller passes the current time. */

const day = whenUsed(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }))
const dayAndYear = whenUsed(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' }))
const weekday = whenUsed(() => new Intl.DateTimeFormat(locale, { weekday: 'short' }))
const full = whenUsed(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))

const two = (n: number) => String(n).padStart(2, '0')

/** The day and the month: 12 Nov. */
export const dayOf = (at: Date): string => day().format(at)

/** The time of day, in 24 hours as all languages of the page write it: 14:05; with seconds 14:05:09. */
export function timeOfDay(at: Date, seconds = false): string {
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`
  return seconds ? `${time}:${two(at.getSeconds())}` : time
}

/** A duration in minutes and seconds, with hours if there are any: 2:14, 1:02:05. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** The time of an event in a few characters: 14:05, yesterday, Mon, 12 Nov, 12 Nov 2024. */
export function age(atMs: number, nowMs: number): string {
  if (!atMs) return ''
  const at = new Date(atMs)
  const now = new Date(nowMs)
  const days = daysBetween(at, now)
  if (days <= 0) return timeOfDay(at)
  if (days === 1) return t`yesterday`
  if (days < 7) return weekday().format(at)
  return at.getFullYear() === now.getFullYear() ? dayOf(at) : dayAndYear().format(at)
}

/** The whole date and time, for a tooltip. */
export function exactly(atMs: number): string {
  return Number.isFinite(atMs) && atMs > 0 ? full().format(new Date(atMs)) : ''
}

/** A short duration for a person: 840 ms, 6.2 s, 48 s, 2:14. */
export function took(ms: number): string {
  if (ms < 1000) return t`${Math.round(ms)} ms`
  // Truncated rather than rounded, like a clock: 59.9 s is not a minute.
  if (ms < 10_000) return t`${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  return ms < 60_000 ? t`${Math.floor(ms / 1000)} s` : elapsed(ms)
}

/** The time since an event in a few words: "just now", "12 s ago", "4 min ago". */
export function ago(ms: number): string {
  const s = Math.floor(ms / 1000)
  if (s < 2) return t`just now`
  if (s < 60) return t`${s} s ago`
  const min = Math.floor(s / 60)
  if (min < 60) return t`${min} min ago`
  const h = Math.floor(min / 60)
  return h < 48 ? t`${h} h ago` : t`${Math.floor(h / 24)} days ago`
}

/* Counts calendar days, not spans of 24 hours: an hour may be missing or repeated. */
function daysBetween(a: Date, b: Date): number {
  const noon = (d: Date) => Date.UTC(d.getFullYear(), d.getMonth(), d.getDate())
  return Math.round((noon(b) - noon(a)) / 86_400_000)
}
