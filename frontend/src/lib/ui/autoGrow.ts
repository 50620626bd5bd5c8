/** An attachment: a text field grows with its text, up to its max-height. */
export function autoGrow(node: HTMLTextAreaElement): () => void {
  let before = -1
  const fit = () => {
    node.style.height = 'auto'
    node.style.height = `${node.scrollHeight + node.offsetHeight - node.clientHeight}px`
  }
  // Its width matters too, and is known once it is laid out.
  const width = new ResizeObserver(([entry]) => {
    if (entry && entry.contentRect.width !== before) {
      before = entry.contentRect.width
      fit()
    }
  })
  width.observe(node)
  node.addEventListener('input', fit)
  node.addEventListener('blur', fit)
  return () => {
    width.disconnect()
    node.removeEventListener('input', fit)
    node.removeEventListener('blur', fit)
  }
}
