import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono } from 'hono'
import {
  answerText,
  cacheForever,
  cacheUntilChanged,
  pageHeaders,
  redirectBrowsers,
} from './static-files.ts'

/** The output folder of `npm run build:console`. The path is the same in a clone and in the published package. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url))

interface ConsoleFilesOptions {
  /** The origins whose pages may frame the portal. */
  readonly portalOrigins: readonly string[]
  /** Whether the console links to GraphiQL. The portal never does. */
  readonly graphiql: boolean
  /** Whether the documentation is served. Default: false. */
  readonly docs?: () => boolean
  /** The host of the provider that people sign in with by OpenID Connect. Default: none. */
  readonly signInHost?: string
}

/**
 * Serves the console and the portal, which are one application, at `/console/…` and `/portal/…`. Every path below them
 * that is not a file gets the HTML page. `/` leads browsers to the console.
 */
export function createConsoleFiles(options: ConsoleFilesOptions): Hono {
  const { portalOrigins } = options
  const routes = new Hono()
  // A program gets the same answer as at any path where there is nothing, so that it alerts a wrong URL.
  routes.get('/', redirectBrowsers('/console'), (context) => context.notFound())
  const asset = serveStatic({
    root: FOLDER,
    rewriteRequestPath: (requested) => requested.replace(/^\/console/, ''),
    // The build writes compressed copies.
    precompressed: true,
  })
  routes.get('/console/assets/*', cacheForever, asset, (context) => context.notFound())
  for (const file of ['posthorn.svg', 'color-scheme.js']) {
    routes.get(`/console/${file}`, cacheUntilChanged, asset)
  }
  // The page Portal shows the portal in a frame.
  const consoleHeaders = pageHeaders({ 'form-action': `'self'`, 'frame-src': `'self'` })
  const consolePage = page(options, consoleHeaders)
  // The host application serves the logo and the font of the portal.
  const portalHeaders = pageHeaders(
    {
      'form-action': `'self'`,
      'frame-src': `'none'`,
      'img-src': `'self' data: https:`,
      'font-src': [`'self'`, ...portalOrigins].join(' '),
    },
    [`'self'`, ...portalOrigins],
  )
  const portalPage = page({ graphiql: false, portalOrigins }, portalHeaders)
  routes.get('/portal/element.js', servePortalElement)
  for (const at of ['/console', '/console/*']) routes.get(at, consolePage)
  for (const at of ['/portal', '/portal/*']) routes.get(at, portalPage)
  return routes
}

function page(
  { graphiql, docs = () => false, signInHost = '', portalOrigins }: ConsoleFilesOptions,
  securityHeaders: Record<string, string>,
) {
  const headers = { 'cache-control': 'no-cache', ...securityHeaders }
  return async (context: Context) => {
    const html = await readFile(`${FOLDER}index.html`, 'utf8').catch(() => null)
    if (html === null) {
      return context.text('The console is not built. Run: npm run build:console\n', 503, headers)
    }
    const contents = {
      graphiql: graphiql ? 'on' : 'off',
      docs: docs() ? 'on' : 'off',
      'portal-origins': portalOrigins.join(' '),
      'sign-in': signInHost,
    }
    // The console reads its settings from its HTML, before anybody signs in.
    let filled = html
    for (const [name, content] of Object.entries(contents)) {
      const setting = new RegExp(`(name="posthorn-${name}" content=")[^"]*`)
      filled = filled.replace(setting, (_, before) => before + content)
    }
    return context.html(filled, 200, headers)
  }
}

/** An output of `npm run build:console`. The path is the same in a clone and in the published package. */
const PORTAL_ELEMENT = new URL('../../dist/portal-element/posthorn-portal.js', import.meta.url)

/** Serves the element `<posthorn-portal>` to pages of every origin. */
async function servePortalElement(context: Context) {
  const script = await readFile(PORTAL_ELEMENT, 'utf8').catch(() => null)
  if (script === null) {
    return context.text('The element is not built. Run: npm run build:console\n', 503)
  }
  return answerText(context, script, 'text/javascript; charset=utf-8', {
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
}
