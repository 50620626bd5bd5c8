import type { preview } from '$lib/backend/backend'
import { count, plural } from '$lib/format/number'
import { ago } from '$lib/format/time'
import { t } from '$lib/language/language'

/** cacheWords says how much of the common beginning of two requests a server should read from its cache. */
export function cacheWords(same: number, request: number, expected: preview.Expected): string {
  const alike = t`${plural(same, 'token')} above are the same as in request ${count(request - 1)}`
  if (expected.expired) return t`${alike}, but that was sent ${ago(expected.agoMs)}: the cache has expired by now`
  if (expected.tokens > 0) return t`${alike}: about ${count(expected.tokens)} should come from the cache`
  switch (expected.kind) {
    case 'none':
      return t`${alike}: cacheable, where the server has a cache`
    case 'whole':
      return t`${alike}: not all of that request, and this server caches nothing less`
    case 'marked':
      return t`${alike}: none of it ends where that request marked it for the cache`
  }
  return same < expected.least ? t`${alike}: too little for this server’s cache, which begins at ${count(expected.least)}` : alike
}
