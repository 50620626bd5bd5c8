/** Marks the page's icon while something waits for the person; the browser's tab shows it. */
export function markFavicon(waits: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const href = waits ? './leaf-waits.svg' : './leaf.svg'
  if (icon && icon.getAttribute('href') !== href) icon.setAttribute('href', href)
}
