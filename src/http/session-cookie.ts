import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

/**
 * The cookie of a browser that signed in to the console. Three independent defenses keep pages of other sites from using
 * it: browsers send it only with requests of our own pages (`SameSite=Strict`); it is valid only with the header
 * `posthorn-console`, for which another site needs a CORS preflight that we never allow; and a request that the browser
 * marks as cross-site is rejected.
 */
export function sessionCookie(publicUrl: string | null) {
  const cookie = hostCookie(publicUrl, 'posthorn_session', 'Strict')
  return {
    ...cookie,
    isRequested: ({ headers }: Request) => headers.has(CONSOLE_HEADER),
    set: (token: string, expiresAt: Date) =>
      cookie.set(token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000))),
  }
}

/** The header that our own pages send. */
export const CONSOLE_HEADER = 'posthorn-console'

/**
 * Whether a browser sent the request from a page of another site, according to `Sec-Fetch-Site`, which browsers send over
 * secure connections only, or to `Origin`. Programs other than browsers send neither.
 */
export function isCrossSite(request: Request, publicUrl: string | null): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || origin === publicUrl) return false
  return URL.parse(origin)?.host !== new URL(request.url).host
}

export const CROSS_SITE_DETAIL =
  'The request comes from a page of another site. If it is a page of Posthorn, set POSTHORN_PUBLIC_URL to the origin in the address bar of the browser.'

/**
 * A cookie that only this host can set: over https its name begins with `__Host-`, and browsers accept such a cookie
 * neither from a page of another subdomain nor over http. No script can read it. `publicUrl` is the value of
 * POSTHORN_PUBLIC_URL, if set. `set` and `clear` return the value of `Set-Cookie`.
 */
export function hostCookie(publicUrl: string | null, name: string, sameSite: 'Strict' | 'Lax') {
  const isSecure = publicUrl?.startsWith('https:') === true
  const fullName = `${isSecure ? '__Host-' : ''}${name}`
  const set = (value: string, maxAge: number) =>
    generateCookie(name, value, {
      maxAge,
      httpOnly: true,
      sameSite,
      ...(isSecure && { prefix: 'host' }),
    })
  return {
    read: ({ headers }: Request) => parse(headers.get('cookie') ?? '', fullName)[fullName] ?? null,
    set,
    clear: () => set('', 0),
  }
}
