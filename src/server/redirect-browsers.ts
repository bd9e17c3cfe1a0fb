import type { Context, MiddlewareHandler } from 'hono'
import { accepts } from 'hono/accepts'

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
