/**
 * The cookie of a browser that signed in to the console. No page of another site can use it, for three reasons, each
 * enough by itself: browsers keep it to requests from our own pages (`SameSite=Strict`); it counts only beside a header
 * of ours, which another site's page cannot send without asking first, and is never allowed; and it does not count where
 * the browser says that another site's page asks.
 */
export interface SessionCookie {
  /** The header with which our own pages ask for the cookie to count. */
  isAskedFor(request: Request): boolean
  /** What it holds. */
  read(request: Request): string | null
  /** The value of `Set-Cookie` that keeps a token until then. */
  keep(token: string, expiresAt: Date): string
  /** The value of `Set-Cookie` that forgets it. */
  forget(): string
}

const CONSOLE_HEADER = 'posthorn-console'

/** `publicUrl` is the origin that browsers know Posthorn by, if that was configured. */
export function sessionCookie(publicUrl: string | null): SessionCookie {
  const secure = publicUrl?.startsWith('https:') === true
  // The prefix makes browsers refuse it from anybody but this very host.
  const name = secure ? '__Host-posthorn_session' : 'posthorn_session'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  return {
    isAskedFor: ({ headers }) => headers.has(CONSOLE_HEADER),
    read({ headers }) {
      const cookies = (headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim())
      return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
    },
    keep(token, expiresAt) {
      const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000))
      return `${name}=${token}; ${attributes}; Max-Age=${seconds}`
    },
    forget: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}

/**
 * Whether a page of another site asks, as its browser says: by `Sec-Fetch-Site` where it trusts the connection, and by
 * `Origin` otherwise. Programs that are no browsers say neither.
 */
export function isFromElsewhere(request: Request, publicUrl: string | null): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || origin === publicUrl) return false
  return URL.parse(origin)?.host !== new URL(request.url).host
}

export const FROM_ELSEWHERE =
  'The request comes from a page of another site. If it is a page of Posthorn, set POSTHORN_PUBLIC_URL to the address that browsers have of it.'
