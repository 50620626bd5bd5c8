/** Marks a part with `data-cut` while text continues below its lower edge. */
export function cutOff(part: HTMLElement): () => void {
  const look = () => part.toggleAttribute('data-cut', part.scrollHeight - part.clientHeight - part.scrollTop > 2)
  const sizes = new ResizeObserver(look)
  for (const each of [part, ...part.children]) sizes.observe(each)
  part.addEventListener('scroll', look, { passive: true })
  return () => {
    sizes.disconnect()
    part.removeEventListener('scroll', look)
  }
}
