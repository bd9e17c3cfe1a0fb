import { expect, test } from 'vitest'
import { hostCookie } from '../../src/http/session-cookie.ts'

const URL = 'https://hooks.example.com/'
const cookie = hostCookie(URL, 'posthorn_oidc', 'Lax')
const read = (sent: string) => cookie.read(new Request(URL, { headers: { cookie: sent } }))

// Browsers take a cookie with this prefix from its own host alone.
test('over https, a cookie that a page of another subdomain can set is not read', () => {
  expect(cookie.set('own', 600)).toMatch(/^__Host-posthorn_oidc=own; .*HttpOnly; Secure/)
  expect(read('posthorn_oidc=tossed')).toBeNull()
  expect(read('posthorn_oidc=tossed; __Host-posthorn_oidc=own')).toBe('own')
})
