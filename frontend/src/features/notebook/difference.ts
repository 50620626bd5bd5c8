/** firstDifference is the line and column, from 1, where two texts part; undefined when they are the same. */
export function firstDifference(a: string, b: string): { line: number; column: number } | undefined {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === a.length && at === b.length) return undefined
  let line = 1
  let start = 0
  for (let nl = a.indexOf('\n'); nl >= 0 && nl < at; nl = a.indexOf('\n', nl + 1)) {
    line++
    start = nl + 1
  }
  return { line, column: at - start + 1 }
}
