import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { etag } from 'hono/etag'
import { cacheForever, cacheUntilChanged, pageHeaders } from './static-files.ts'

const DOCS_PATH = '/docs'

/** The output folder of `npm run build:docs`. The path is the same in a clone and in the published package. */
const FOLDER = fileURLToPath(new URL('../../dist/docs/', import.meta.url))

/** What the build writes last: the sources of its inline scripts, for the Content-Security-Policy. */
const INLINE_SCRIPTS = 'inline-scripts.json'

/** Whether there is documentation to serve: a clone has none until somebody builds it. */
export const hasDocs = (folder = FOLDER) => existsSync(path.join(folder, INLINE_SCRIPTS))

/** Serves the site of the documentation: its pages as HTML and as Markdown, and what they load. */
export function createDocsFiles(folder = FOLDER): Hono {
  const routes = new Hono()
  if (!hasDocs(folder)) return routes.all(DOCS_PATH, notBuilt).all(`${DOCS_PATH}/*`, notBuilt)
  const files = serveStatic({ root: folder, rewriteRequestPath: fileOf, precompressed: true })
  const notFound = notFoundPage(folder)
  routes.use(`${DOCS_PATH}/*`, securityHeaders(folder))
  routes.get(`${DOCS_PATH}/_astro/*`, cacheForever, files, notFound)
  routes.get(`${DOCS_PATH}/files/*`, cacheUntilChanged, etag(), sentAs('plain'), files, notFound)
  routes.get(`${DOCS_PATH}/:page{.+\\.md}`, sentAs('markdown'))
  for (const at of [DOCS_PATH, `${DOCS_PATH}/*`]) {
    routes.get(at, cacheUntilChanged, etag(), files, notFound)
  }
  return routes
}

/** A page is `…/index.html`. Every other file has an ending, or is a copy of one of the repository. */
function fileOf(requested: string): string {
  const file = requested.slice(DOCS_PATH.length).replace(/\/$/, '')
  const isFile = file.startsWith('/files/') || path.extname(file) !== ''
  return isFile ? file : `${file}/index.html`
}

/** The copies of files of the repository, but for pictures, are shown as texts, not run. */
const sentAs =
  (type: 'markdown' | 'plain'): MiddlewareHandler =>
  async (context, next) => {
    await next()
    const isPicture = context.res.headers.get('content-type')?.startsWith('image/')
    if (context.res.ok && !isPicture) context.header('content-type', `text/${type}; charset=utf-8`)
  }

const notBuilt = (context: Context) =>
  context.text(
    'The documentation is not built. Run npm run build:docs, and start Posthorn again.\n',
    404,
  )

/** The site's own page. */
function notFoundPage(folder: string) {
  return async (context: Context) => {
    const html = await readFile(path.join(folder, '404.html'), 'utf8').catch(() => null)
    return html === null ? notBuilt(context) : context.html(html, 404)
  }
}

/** Only what the site brings runs. The search is WebAssembly. */
function securityHeaders(folder: string): MiddlewareHandler {
  const inline: string[] = JSON.parse(readFileSync(path.join(folder, INLINE_SCRIPTS), 'utf8'))
  const scripts = [`'self'`, `'wasm-unsafe-eval'`, ...inline].join(' ')
  const headers = pageHeaders({ 'script-src': scripts, 'worker-src': `'self'` })
  return async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
  }
}
