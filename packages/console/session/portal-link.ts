import { readStored, store } from '../lib/storage.ts'

/** The options in the fragment of a host application's portal link. Browsers do not send the fragment to a server. */
export interface PortalLink {
  readonly token: string | null
  /** `#rrggbb` */
  readonly color: string | null
  /** A CSS `font-family`. */
  readonly font: string | null
  /** The file of the first font in `font`. */
  readonly fontUrl: string | null
  /** In pixels. */
  readonly radius: number | null
  /** `#rrggbb`, behind a framed portal. Null: transparent. */
  readonly background: string | null
  /** `#rrggbb`, of text. */
  readonly foreground: string | null
  /** Around a framed portal, in pixels. */
  readonly padding: number | null
  /** The paths of the pages that it offers: `webhooks`. */
  readonly pages: readonly string[]
  readonly density: 'compact' | 'comfortable'
  readonly logo: string | null
  readonly scheme: 'light' | 'dark' | 'auto'
  /** Whether the header and the menu stay in a frame. */
  readonly header: boolean
  /** A BCP 47 tag: `pt-BR`. Null: the language of the browser. */
  readonly locale: string | null
}

/** What a customer needs. */
const DEFAULT_PAGES = 'webhooks deliveries event-types'
const COLOR = /^#[0-9a-f]{6}$/i
const STORAGE_KEY = 'posthorn.portal'

/** Reads the link of this page or, after a reload, the link that this tab stored. Removes the fragment from the URL. */
export function readPortalLink(): PortalLink {
  const given = new URLSearchParams(location.hash.slice(1))
  const fields = given.has('token')
    ? given
    : new URLSearchParams(readStored('session', STORAGE_KEY) ?? '')
  if (given.has('token')) {
    storeFragment(given.toString())
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return parsePortalLink(fields)
}

/** Ignores a field that the server would reject: the link may come from anybody. */
export function parsePortalLink(fields: URLSearchParams): PortalLink {
  const matching = (name: string, pattern: RegExp) => {
    const value = fields.get(name)
    return value !== null && pattern.test(value) ? value : null
  }
  const pixels = (name: string, pattern: RegExp) => {
    const value = matching(name, pattern)
    return value === null ? null : Number(value)
  }
  const scheme = fields.get('colorScheme')
  return {
    token: fields.get('token'),
    color: matching('primaryColor', COLOR),
    font: matching('fontFamily', /^[\p{L}\p{N} ,'"_-]{1,200}$/u),
    fontUrl: matching('fontUrl', /^https:\/\/[^\s\\"]+$/),
    radius: pixels('radius', /^(\d|1[0-6])$/),
    background: matching('backgroundColor', COLOR),
    foreground: matching('foregroundColor', COLOR),
    padding: pixels('padding', /^([1-5]?\d|6[0-4])$/),
    pages: (fields.get('pages') ?? DEFAULT_PAGES).split(' '),
    density: fields.get('density') === 'compact' ? 'compact' : 'comfortable',
    logo: matching('logoUrl', /^https:\/\//),
    scheme: scheme === 'light' || scheme === 'dark' ? scheme : 'auto',
    header: fields.get('showHeader') === 'true',
    locale: matching('locale', /^(?!auto$)[a-z]{2,8}(-[a-z\d]{1,8})*$/i),
  }
}

/** Without storage, which a browser may deny to a framed page, the session ends with a reload. */
export const storeFragment = (fragment: string) => store('session', STORAGE_KEY, fragment)
