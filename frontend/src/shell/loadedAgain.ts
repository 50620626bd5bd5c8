import type { Toasts } from '$lib/ui/toasts.svelte'
import { t } from '$lib/language/language'

/** Tells the person that the window's page was reloaded, why, and what may be lost; detail is page.Cause of the Go side. */
export function sayLoadedAgain(toasts: Toasts, event: Event): void {
  const cause: unknown = (event as CustomEvent).detail
  const kept = t`Notebooks are saved and agents went on. Only what was typed in its last second may be missing.`
  if (cause === 'empty') toasts.failed(t`The page of this window stayed empty and was loaded again`, t`Nothing is lost.`)
  else if (cause === 'frozen')
    toasts.failed(
      t`The page of this window did not answer and was loaded again`,
      t`Notebooks are saved and agents went on. What was typed while it did not answer is missing.`,
    )
  else if (cause === 'memory') toasts.failed(t`The page of this window ran out of memory and was loaded again`, kept)
  else toasts.failed(t`The page of this window ended and was loaded again`, kept)
}
