import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

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
const NAME = 'posthorn_session'

/** `publicUrl` is the origin that browsers know Posthorn by, if it is configured. */
export function sessionCookie(publicUrl: string | null): SessionCookie {
  // With the prefix `__Host-`, browsers accept the cookie from this very host alone.
  const isSecure = publicUrl?.startsWith('https:') === true
  const name = `${isSecure ? '__Host-' : ''}${NAME}`
  const set = (value: string, maxAge: number) =>
    generateCookie(NAME, value, {
      maxAge,
      httpOnly: true,
      sameSite: 'Strict',
      ...(isSecure && { prefix: 'host' }),
    })
  return {
    isAskedFor: ({ headers }) => headers.has(CONSOLE_HEADER),
    read: ({ headers }) => parse(headers.get('cookie') ?? '', name)[name] ?? null,
    keep: (token, expiresAt) =>
      set(token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000))),
    forget: () => set('', 0),
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
