import { readStored, store } from '../lib/storage.ts'
import { mount } from '../mount.ts'

/** What a customer needs. */
const DEFAULT_PAGES = 'webhooks deliveries event-types'
const COLOR = /^#[0-9a-f]{6}$/i
const STORAGE_KEY = 'posthorn.portal'

export type PortalLink = ReturnType<typeof parsePortalLink>

/**
 * The options in the fragment of a host application's portal link, which browsers do not send to a server. Null: the
 * portal's own. A value that the server would reject is ignored: the link may come from anybody.
 */
function parsePortalLink(fragment: string) {
  const fields = new URLSearchParams(fragment)
  const matching = (name: string, pattern: RegExp) => {
    const value = fields.get(name)
    return value !== null && pattern.test(value) ? value : null
  }
  const pixels = (name: string, pattern: RegExp) => {
    const value = matching(name, pattern)
    return value === null ? null : Number(value)
  }
  return {
    token: fields.get('token'),
    color: matching('primaryColor', COLOR),
    /** A CSS `font-family`, and the file of its first font. */
    font: matching('fontFamily', /^[\p{L}\p{N} ,'"_-]{1,200}$/u),
    fontUrl: matching('fontUrl', /^https:\/\/[^\s\\"]+$/),
    radius: pixels('radius', /^(\d|1[0-6])$/),
    /** Behind a framed portal. Null: transparent. */
    background: matching('backgroundColor', COLOR),
    foreground: matching('foregroundColor', COLOR),
    /** Around a framed portal. */
    padding: pixels('padding', /^([1-5]?\d|6[0-4])$/),
    /** The paths of the pages that it offers: `webhooks`. */
    pages: (fields.get('pages') ?? DEFAULT_PAGES).split(' '),
    density: matching('density', /^compact$/) ? ('compact' as const) : ('comfortable' as const),
    logo: matching('logoUrl', /^https:\/\//),
    scheme: (matching('colorScheme', /^(light|dark)$/) ?? 'auto') as 'light' | 'dark' | 'auto',
    /** Whether the header and the menu stay in a frame. */
    header: fields.get('showHeader') === 'true',
    /** A BCP 47 tag: `pt-BR`. Null: the language of the browser. */
    locale: matching('locale', /^(?!auto$)[a-z]{2,8}(-[a-z\d]{1,8})*$/i),
  }
}

/** Reads the link of this page or, after a reload, the link that this tab stored. Removes the fragment from the URL. */
function readPortalLink(): PortalLink {
  const fragment = location.hash.slice(1)
  const given = parsePortalLink(fragment)
  if (given.token === null) return parsePortalLink(readStored('session', STORAGE_KEY) ?? '')
  // Without storage, which a browser may deny to a framed page, the session ends with a reload.
  store('session', STORAGE_KEY, fragment)
  history.replaceState(history.state, '', location.pathname + location.search)
  return given
}

const isPortal = mount.kind === 'portal'

/** The link that opened the portal. Null in the console. */
export const portalLink: PortalLink | null = isPortal ? readPortalLink() : null

export const isFramed = isPortal && window.parent !== window

/** Whether the page of a host application surrounds the portal, which then has no header and no menu. */
export const isEmbedded = isFramed && !portalLink?.header

let token = portalLink?.token ?? null

/** The token of the portal's present session. Null in the console, whose cookie no script can read. */
export function portalToken(): string | null {
  return token
}

/** Goes on with the session of a new link. Returns false for a URL that is no link of this portal. */
export function takeOverSession(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { origin, pathname, hash } = new URL(url)
  const link = parsePortalLink(hash.slice(1))
  if (origin !== location.origin || pathname !== mount.basename || !link.token) return false
  token = link.token
  store('session', STORAGE_KEY, hash.slice(1))
  return true
}
