import type { Context, MiddlewareHandler } from 'hono'
import { accepts } from 'hono/accepts'

const YEAR_SECONDS = 31_536_000

const cached =
  (policy: string): MiddlewareHandler =>
  async (context, next) => {
    await next()
    context.header('x-content-type-options', 'nosniff')
    context.header('cache-control', context.res.ok ? policy : 'no-cache')
  }

/** For files whose names contain the hash of their content. */
export const cacheForever = cached(`public, max-age=${YEAR_SECONDS}, immutable`)

export const cacheUntilChanged = cached('no-cache')

/** Answers with a text that a cache asks for again. Behind `etag()`, a client that has it gets 304. */
export function answerText(
  context: Context,
  text: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return context.body(text, 200, {
    ...headers,
    'content-type': contentType,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  })
}

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
  }
}

/** Redirects browsers to a page. Programs get the answer of the next handler, as if there were no redirect. */
export function redirectBrowsers(to: string): MiddlewareHandler {
  return async (context, next) => {
    if (isBrowser(context)) context.res = context.redirect(to)
    else await next()
    context.res.headers.append('vary', 'accept')
  }
}

export function isBrowser(context: Context): boolean {
  const type = accepts(context, {
    header: 'Accept',
    supports: ['application/json', 'application/graphql-response+json', 'text/html'],
    default: 'application/json',
  })
  return type === 'text/html'
}
