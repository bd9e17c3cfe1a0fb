/** The options in the fragment of a host application's portal link. Browsers do not send the fragment to a server. */
export interface PortalLink {
  readonly token: string | null
  /** `#rrggbb` */
  readonly color: string | null
  readonly logo: string | null
  readonly scheme: 'light' | 'dark' | 'auto'
}

const STORAGE_KEY = 'posthorn.portal'

/** Reads the link of this page or, after a reload, the link that this tab stored. Removes the fragment from the URL. */
export function readPortalLink(): PortalLink {
  const given = new URLSearchParams(location.hash.slice(1))
  const fields = given.has('token') ? given : new URLSearchParams(readStored())
  if (given.has('token')) {
    store(given.toString())
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  const scheme = fields.get('scheme')
  const color = fields.get('color')
  return {
    token: fields.get('token'),
    color: color && /^#[0-9a-f]{6}$/i.test(color) ? color : null,
    logo: /^https:\/\//.test(fields.get('logo') ?? '') ? fields.get('logo') : null,
    scheme: scheme === 'light' || scheme === 'dark' ? scheme : 'auto',
  }
}

/** A browser may deny storage to a framed page; then the session ends with a reload. */
function readStored(): string {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? ''
  } catch {
    return ''
  }
}

function store(link: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, link)
  } catch {}
}
