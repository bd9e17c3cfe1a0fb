/** What a host application's link to the portal carries in its fragment, which no server is sent. */
export interface PortalLink {
  readonly token: string | null
  /** `#rrggbb` */
  readonly color: string | null
  readonly logo: string | null
  readonly scheme: 'light' | 'dark' | 'auto'
}

const KEPT_UNDER = 'posthorn.portal'

/**
 * The link this page was opened with or, once its fragment is gone from the address, the one of this tab: so that a
 * reload does not end the session.
 */
export function readPortalLink(): PortalLink {
  const given = new URLSearchParams(location.hash.slice(1))
  const kept = given.has('token') ? given : new URLSearchParams(recall())
  if (given.has('token')) {
    remember(given.toString())
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  const scheme = kept.get('scheme')
  const color = kept.get('color')
  return {
    token: kept.get('token'),
    color: color && /^#[0-9a-f]{6}$/i.test(color) ? color : null,
    logo: /^https:\/\//.test(kept.get('logo') ?? '') ? kept.get('logo') : null,
    scheme: scheme === 'light' || scheme === 'dark' ? scheme : 'auto',
  }
}

/** Storage may be closed to a page in a frame: then the link is good until the page is left. */
function recall(): string {
  try {
    return sessionStorage.getItem(KEPT_UNDER) ?? ''
  } catch {
    return ''
  }
}

function remember(link: string): void {
  try {
    sessionStorage.setItem(KEPT_UNDER, link)
  } catch {}
}
