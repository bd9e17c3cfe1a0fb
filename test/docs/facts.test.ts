import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { read } from './support/pages.ts'

test('docs/security/security.md describes each scope', () => {
  const listed = [...read('docs/security/security.md').matchAll(/^\| `([a-z:]+)` \|/gm)]
  expect(listed.map(([, scope]) => scope)).toEqual(SCOPES)
})
