import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Context, Hono } from 'hono'
import { PORTAL_ELEMENT_PATH, servePortalElement } from './portal-element.ts'
import { redirectBrowsers } from './redirect-browsers.ts'
import { cacheForever, cacheUntilChanged, staticFiles } from './static-files.ts'

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
export function createConsoleFiles({
  portalOrigins,
  graphiql,
  docs = () => false,
  signInHost = '',
}: ConsoleFilesOptions): Hono {
  const routes = new Hono()
  // A program gets the same answer as at any path where there is nothing, so that it notices a wrong URL.
  routes.get('/', redirectBrowsers('/console'), (context) => context.notFound())
  const asset = staticFiles({
    folder: FOLDER,
    fileOf: (requested) => requested.replace(/^\/console/, ''),
  })
  routes.get('/console/assets/*', cacheForever, asset, (context) => context.notFound())
  for (const file of ['posthorn.svg', 'color-scheme.js']) {
    routes.get(`/console/${file}`, cacheUntilChanged, asset)
  }
  const consolePage = page({
    graphiql,
    docs,
    signInHost,
    portalOrigins,
    // The page Portal shows the portal in a frame.
    frames: `'self'`,
    framedBy: [],
    pictures: `'self' data:`,
    fonts: [],
  })
  // The host application serves the logo and the font of the portal.
  const portalPage = page({
    graphiql: false,
    docs: () => false,
    signInHost: '',
    portalOrigins,
    frames: `'none'`,
    framedBy: [`'self'`, ...portalOrigins],
    pictures: `'self' data: https:`,
    fonts: portalOrigins,
  })
  routes.get(PORTAL_ELEMENT_PATH, servePortalElement)
  for (const at of ['/console', '/console/*']) routes.get(at, consolePage)
  for (const at of ['/portal', '/portal/*']) routes.get(at, portalPage)
  return routes
}

interface PageOptions {
  readonly graphiql: boolean
  readonly docs: () => boolean
  readonly signInHost: string
  /** The origins whose pages may frame the portal. */
  readonly portalOrigins: readonly string[]
  /** The allowed sources of frames. */
  readonly frames: string
  /** The sources whose pages may frame the page. */
  readonly framedBy: readonly string[]
  /** The allowed sources of pictures. */
  readonly pictures: string
  /** The origins of fonts, beside Posthorn's own. */
  readonly fonts: readonly string[]
}

function page({ graphiql, docs, signInHost, portalOrigins, ...sources }: PageOptions) {
  const headers = {
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(sources),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...xFrameOptions(sources.framedBy),
  }
  return async (context: Context) => {
    const html = await readFile(`${FOLDER}index.html`, 'utf8').catch(() => null)
    if (html === null) {
      return context.text('The console is not built. Run: npm run build:console\n', 503, headers)
    }
    const off = [!graphiql && 'posthorn-graphiql', !docs() && 'posthorn-docs']
    const contents = {
      'posthorn-portal-origins': portalOrigins.join(' '),
      'posthorn-sign-in': signInHost,
    }
    const filled = Object.entries(contents).reduce(
      (page, [name, content]) =>
        page.replace(`name="${name}" content=""`, `name="${name}" content="${content}"`),
      html,
    )
    return context.html(off.reduce<string>(turnOff, filled), 200, headers)
  }
}

/** The console reads its settings from its HTML, before anybody signs in. */
function turnOff(html: string, setting: string | false): string {
  if (!setting) return html
  return html.replace(`name="${setting}" content="on"`, `name="${setting}" content="off"`)
}

/** For browsers that do not know `frame-ancestors`. The header cannot name other origins. */
function xFrameOptions(framedBy: readonly string[]) {
  if (framedBy.length === 0) return { 'x-frame-options': 'DENY' }
  return framedBy.every((source) => source === `'self'`) && { 'x-frame-options': 'SAMEORIGIN' }
}

/** Allows only scripts from this origin, and no inline scripts. Inline styles are allowed, because components use them. */
function contentSecurityPolicy({
  frames,
  framedBy,
  pictures,
  fonts,
}: Pick<PageOptions, 'frames' | 'framedBy' | 'pictures' | 'fonts'>): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src ${pictures}`,
    ['font-src', `'self'`, ...fonts].join(' '),
    `connect-src 'self'`,
    `frame-src ${frames}`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors ${framedBy.length > 0 ? framedBy.join(' ') : `'none'`}`,
  ].join('; ')
}
