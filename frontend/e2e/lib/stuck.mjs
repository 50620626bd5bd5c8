/** Says why a page may keep a test waiting: whether its script ends, and whether it draws. */
export function whyStuck(page) {
  return Promise.race([
    page.evaluate(countFrames).catch(String),
    new Promise((done) => setTimeout(done, 3000, 'its page does not answer, so a script of it does not end')),
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
