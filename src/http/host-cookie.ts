import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

/**
 * A cookie that only this host can set: over https its name begins with `__Host-`, and browsers accept such a cookie
 * neither from a page of another subdomain nor over http. No script can read it.
 */
export interface HostCookie {
  /** The value in the cookie of a request. */
  read(request: Request): string | null
  /** The `Set-Cookie` value that stores a value. */
  set(value: string, maxAgeSeconds: number): string
  /** The `Set-Cookie` value that deletes the cookie. */
  clear(): string
}

/** `publicUrl`: the value of POSTHORN_PUBLIC_URL, if set. */
export function hostCookie(
  publicUrl: string | null,
  name: string,
  sameSite: 'Strict' | 'Lax',
): HostCookie {
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
    read: ({ headers }) => parse(headers.get('cookie') ?? '', fullName)[fullName] ?? null,
    set,
    clear: () => set('', 0),
  }
}
