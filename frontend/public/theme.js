// Runs before the first paint, so that a dark window never flashes white. It
// only repeats what src/shell/theme.ts kept; the settings decide a moment later.
;(function () {
  var theme = 'system'
  var zoom = ''
  try {
    theme = localStorage.getItem('mutsumi.theme') || 'system'
    zoom = localStorage.getItem('mutsumi.zoom') || ''
  } catch {
    // Storage can be closed to the page; the system's theme is a fair guess.
  }
  if (theme !== 'light' && theme !== 'dark') {
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  document.documentElement.dataset.theme = theme
  // Its text is drawn thinner than elsewhere: see tokens.css.
  var agent = navigator.userAgent
  if (/AppleWebKit/.test(agent) && !/Chrom/.test(agent) && /X11|Linux/.test(agent)) document.documentElement.dataset.engine = 'webkitgtk'
  if (/^\d{2,3}$/.test(zoom)) document.documentElement.style.setProperty('--zoom', String(Number(zoom) / 100))
})()
