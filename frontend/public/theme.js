// Runs before the first paint, so that a dark window never flashes white. It applies what
// /preferences.js has set; src/shell/theme.ts does the same once the settings are there.
;(function () {
  var appearance = globalThis.mutsumiAppearance || {}
  var theme = appearance.theme
  if (theme !== 'light' && theme !== 'dark') {
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  document.documentElement.dataset.theme = theme
  // Its text is drawn thinner than elsewhere: see tokens.css.
  var agent = navigator.userAgent
  if (/AppleWebKit/.test(agent) && !/Chrom/.test(agent) && /X11|Linux/.test(agent)) document.documentElement.dataset.engine = 'webkitgtk'
  if (appearance.zoom) document.documentElement.style.setProperty('--zoom', String(appearance.zoom / 100))
})()
