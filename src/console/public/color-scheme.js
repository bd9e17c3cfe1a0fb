// Before the first paint, so that a dark page never flashes white. A file, as the page allows no inline script.
{
  const asked = /[#&]scheme=(light|dark)\b/.exec(location.hash)?.[1]
  let chosen = null
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value')
  } catch {
    // Storage may be closed to a page in a frame.
  }
  const scheme = asked ?? (chosen === 'light' || chosen === 'dark' ? chosen : null)
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.setAttribute(
    'data-mantine-color-scheme',
    scheme ?? (dark ? 'dark' : 'light'),
  )
}
