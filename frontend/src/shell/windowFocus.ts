/* Another window of the same folder may come to the front as this one leaves
   it. Leaving is reported at once and coming a little later, so that the last report
   is that the folder is visible. */
const leftAfterMs = 40
const cameAfterMs = 250

/** Reports whether the person sees this window, now and at every change, until the returned function is called. */
export function watchFront(report: (front: boolean) => void): () => void {
  let sent: boolean | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const say = (front: boolean) => {
    if (front !== sent) report((sent = front))
  }
  const look = () => {
    clearTimeout(timer)
    const hidden = document.visibilityState === 'hidden'
    const front = !hidden && document.hasFocus()
    // A page that goes away has no later time.
    if (hidden) say(false)
    else timer = setTimeout(() => say(front), front ? cameAfterMs : leftAfterMs)
  }
  const heard = ['focus', 'blur'] as const
  for (const name of heard) window.addEventListener(name, look)
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    clearTimeout(timer)
    for (const name of heard) window.removeEventListener(name, look)
    document.removeEventListener('visibilitychange', look)
  }
}
