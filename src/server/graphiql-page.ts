import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { etag } from 'hono/etag'
import { CONSOLE_HEADER } from '../http/session-cookie.ts'
import { answerText, isBrowser, pageHeaders } from './static-files.ts'

/**
 * Shows GraphiQL to browsers that open the path of a graph. It calls the path by the session of the console. Programs get
 * the answer of the next handler.
 */
export function graphiqlPage(): MiddlewareHandler {
  const tagged = etag()
  let page: ReturnType<typeof renderPage> | null = null
  return async (context, next) => {
    if (isBrowser(context)) {
      page ??= renderPage()
      const { html, headers } = await page
      await tagged(context, async () => {
        context.res = answerText(context, html, 'text/html; charset=utf-8', headers)
      })
    } else await next()
    context.res.headers.append('vary', 'accept')
  }
}

/** Everything is in the page, which is large, so it is loaded for the first reader only. */
async function renderPage() {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const html = renderGraphiQL({
    title: 'GraphiQL · Posthorn',
    favicon: '/console/posthorn.svg',
    // With it, the cookie of the console counts: a page of another site cannot send it.
    additionalHeaders: { [CONSOLE_HEADER]: '1' },
    // An API key that somebody enters stays in the memory of the page.
    shouldPersistHeaders: false,
  }) as string
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(html) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  // Allows the one script of the page, and the workers that it makes of its own text.
  const headers = pageHeaders({
    'script-src': `'sha256-${hash}'`,
    'worker-src': 'blob:',
    'style-src': `'unsafe-inline'`,
    'font-src': 'data:',
  })
  return { html, headers }
}
