import { expect, test } from 'vitest'
import { SCOPES } from '../../src/access/scope.ts'
import { AUDIT_ACTIONS } from '../../src/audit/audit-entry.ts'
import { SCOPES as SHOWN_SCOPES } from '../../src/console/api-keys/scopes.ts'
import { ACTIONS } from '../../src/console/audit/actions.ts'

test('every action of the audit log has words, and no other', () => {
  expect(Object.keys(ACTIONS)).toEqual(AUDIT_ACTIONS)
})

test('every scope has a sentence, and no other', () => {
  expect(SHOWN_SCOPES.map(([scope]) => scope)).toEqual(SCOPES)
})
