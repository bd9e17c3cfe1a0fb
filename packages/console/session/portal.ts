import { mount } from '../mount.ts'
import { type PortalLink, parsePortalLink, readPortalLink, storeFragment } from './portal-link.ts'

/** The link that opened the portal. Null in the console. */
export const portalLink: PortalLink | null = mount.kind === 'portal' ? readPortalLink() : null

export const isFramed = mount.kind === 'portal' && window.parent !== window

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
  const link = parsePortalLink(new URLSearchParams(hash.slice(1)))
  if (origin !== location.origin || pathname !== mount.basename || !link.token) return false
  token = link.token
  storeFragment(hash.slice(1))
  return true
}
