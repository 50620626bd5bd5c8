// A slow program: with MUTSUMI_LATE=300, what the program answers and reports reaches the page up to
// 300 ms late, each time by another time. Tests and parts of the interface that count on an order of
// two answers, or on an answer before the next key, then fail.

const most = Number(process.env.MUTSUMI_LATE ?? 0)

/** Makes everything arrive late in a page that is opened next, if MUTSUMI_LATE says so. */
export async function arriveLate(page) {
  if (most > 0) await page.addInitScript(late, most)
}

function late(most) {
  const { fetch } = window
  const wait = () => new Promise((done) => setTimeout(done, Math.random() * most))
  window.fetch = async (url, init) => {
    if (!String(url).includes('/api/')) return fetch(url, init)
    // What is sent leaves at once, as from a page that is about to close.
    if (init?.method !== 'POST') await wait()
    const answer = await fetch(url, init)
    await wait()
    if (!String(url).includes('/api/events')) return answer
    const lines = new TransformStream({
      async transform(lines, to) {
        await wait()
        to.enqueue(lines)
      },
    })
    return new Response(answer.body.pipeThrough(lines), answer)
  }
}
