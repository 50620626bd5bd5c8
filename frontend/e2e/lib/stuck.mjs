/** Resolves with a sentence on whether a page answers and draws: a test that waited in vain may have waited for that. */
export function whyStuck(page) {
  return Promise.race([
    page.evaluate(countFrames).catch(String),
    new Promise((done) => setTimeout(done, 3000, 'its page does not answer: one of its scripts does not end')),
  ])
}

/** In the page: counts frames for half a second. */
const countFrames = () =>
  new Promise((done) => {
    let frames = 0
    const count = () => {
      frames++
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
    setTimeout(() => done(`its page answers and draws ${frames} frames in 500 ms (it is ${document.visibilityState})`), 500)
  })
