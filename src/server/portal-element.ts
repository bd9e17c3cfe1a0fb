import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'

export const PORTAL_ELEMENT_PATH = '/portal/element.js'

/** An output of `npm run build:console`. The path is the same in a clone and in the published package. */
const FILE = new URL('../../dist/portal-element/posthorn-portal.js', import.meta.url)

/** Serves the element `<posthorn-portal>` to pages of every origin. */
export async function servePortalElement(context: Context) {
  const script = await readFile(FILE, 'utf8').catch(() => null)
  if (script === null) {
    return context.text('The element is not built. Run: npm run build:console\n', 503)
  }
  return context.body(script, 200, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  })
}
