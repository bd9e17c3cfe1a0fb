import { generateCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

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
