const slowMs = 200

/**
 * slow reports whether something has taken so long that a skeleton should appear: a flashing one is
 * worse than none. Call it during the setup of a component; read `.now`.
 */
export function slow(waits: () => boolean): { readonly now: boolean } {
  let now = $state(false)
  $effect(() => {
    if (!waits()) return
    const timer = setTimeout(() => {
      now = true
    }, slowMs)
    return () => {
      clearTimeout(timer)
      now = false
    }
  })
  return {
    get now() {
      return now
    },
  }
}
