import { afterAll, expect, test, vi } from 'vitest'

vi.stubGlobal('location', { pathname: '/console/' })
afterAll(() => vi.unstubAllGlobals())
const { consoleUrl, mountOf } = await import('../../packages/console/mount.ts')

const ORGANIZATION = 'org_01m7xgjytfecrvetdfjkb8kqpk'

test.each([
  ['/console', 'console', '/console', null],
  ['/console/webhooks', 'console', '/console', null],
  ['/console/as', 'console', '/console', null],
  ['/console/as/org_short/webhooks', 'console', '/console', null],
  [`/console/as/${ORGANIZATION}x`, 'console', '/console', null],
  [`/console/as/${ORGANIZATION}`, 'console', `/console/as/${ORGANIZATION}`, ORGANIZATION],
  [`/console/as/${ORGANIZATION}/a`, 'console', `/console/as/${ORGANIZATION}`, ORGANIZATION],
  ['/portal', 'portal', '/portal', null],
  ['/portal/deliveries', 'portal', '/portal', null],
  [`/portal/as/${ORGANIZATION}`, 'portal', '/portal', null],
  ['/portals', 'console', '/console', null],
])('%s is in the %s at %s', (pathname, kind, basename, organizationId) => {
  expect(mountOf(pathname)).toEqual({ kind, basename, organizationId })
})

test('consoleUrl leads to the console of that organization', () => {
  const url = consoleUrl(ORGANIZATION, '/deliveries/msg_1')
  expect(url).toBe(`/console/as/${ORGANIZATION}/deliveries/msg_1`)
  expect(mountOf(url).organizationId).toBe(ORGANIZATION)
  expect(mountOf(consoleUrl(ORGANIZATION)).organizationId).toBe(ORGANIZATION)
})
