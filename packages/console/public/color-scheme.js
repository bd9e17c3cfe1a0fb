// Runs before the first paint, so that a dark page never flashes white. The page's policy allows no inline script.
{
  const requested = /[#&]colorScheme=(light|dark)\b/.exec(location.hash)?.[1]
  let chosen = null
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value')
  } catch {
    // A browser may deny storage to a framed page.
  }
  const scheme = requested ?? (chosen === 'light' || chosen === 'dark' ? chosen : null)
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.setAttribute(
    'data-mantine-color-scheme',
    scheme ?? (dark ? 'dark' : 'light'),
  )
}
