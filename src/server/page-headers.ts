/** The headers of a page that runs only scripts of this origin, and calls only this origin. Inline styles are allowed. */
export function pageHeaders(
  /** What the Content-Security-Policy has besides, or in place of the usual. */
  policy: Readonly<Record<string, string>>,
  /** The sources whose pages may frame the page. */
  framedBy: readonly string[] = [],
): Record<string, string> {
  const directives = {
    'default-src': `'none'`,
    'script-src': `'self'`,
    'style-src': `'self' 'unsafe-inline'`,
    'img-src': `'self' data:`,
    'font-src': `'self'`,
    'connect-src': `'self'`,
    'form-action': `'none'`,
    ...policy,
    'base-uri': `'none'`,
    'frame-ancestors': framedBy.join(' ') || `'none'`,
  }
  return {
    'content-security-policy': Object.entries(directives)
      .map((directive) => directive.join(' '))
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-content-type-options': 'nosniff',
    ...xFrameOptions(framedBy),
  }
}

/** For browsers that do not know `frame-ancestors`. The header cannot name other origins. */
function xFrameOptions(framedBy: readonly string[]) {
  if (framedBy.length === 0) return { 'x-frame-options': 'DENY' }
  return framedBy.every((source) => source === `'self'`) && { 'x-frame-options': 'SAMEORIGIN' }
}
