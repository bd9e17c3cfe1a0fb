import { expect, test, vi } from 'vitest'

vi.stubGlobal('location', { pathname: '/console/' })
const { consoleOf, placeOf } = await import('../../src/console/place.ts')

const ORGANIZATION = 'org_01m7xgjytfecrvetdfjkb8kqpk'

test.each([
  ['/console', 'console', '/console', null],
  ['/console/webhooks', 'console', '/console', null],
  ['/console/as', 'console', '/console', null],
  ['/console/as/org_short/webhooks', 'console', '/console', null],
  [`/console/as/${ORGANIZATION}x`, 'console', '/console', null],
  [`/console/as/${ORGANIZATION}`, 'console', `/console/as/${ORGANIZATION}`, ORGANIZATION],
  [`/console/as/${ORGANIZATION}/jobs`, 'console', `/console/as/${ORGANIZATION}`, ORGANIZATION],
  ['/portal', 'portal', '/portal', null],
  ['/portal/deliveries', 'portal', '/portal', null],
  [`/portal/as/${ORGANIZATION}`, 'portal', '/portal', null],
  ['/portals', 'console', '/console', null],
])('%s is of the %s at %s', (pathname, kind, basename, organizationId) => {
  expect(placeOf(pathname)).toEqual({ kind, basename, organizationId })
})

test('the address of a page for an operator is where they act for that organization', () => {
  const address = consoleOf(ORGANIZATION, '/deliveries/msg_1')
  expect(address).toBe(`/console/as/${ORGANIZATION}/deliveries/msg_1`)
  expect(placeOf(address).organizationId).toBe(ORGANIZATION)
  expect(placeOf(consoleOf(ORGANIZATION)).organizationId).toBe(ORGANIZATION)
})
