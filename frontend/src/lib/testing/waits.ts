import { vi } from 'vitest'

/** Far longer than any wait takes on a busy machine, in milliseconds: it ends only a test that hangs. */
export const patience = 60_000

/** Waits until a condition holds, and returns its value. */
export const until = <T>(met: () => T) => vi.waitUntil(met, patience)

/** Waits until a check no longer throws, and returns its result. */
export const eventually = <T>(check: () => T) => vi.waitFor(check, patience)
