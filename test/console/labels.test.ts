import { expect, test } from 'vitest'
import { SCOPES as SHOWN_SCOPES } from '../../packages/console/api-keys/scopes.ts'
import { ACTION_LABELS } from '../../packages/console/audit/audit-actions.ts'
import { FAILURES } from '../../packages/console/session/sign-in-failures.ts'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { AUDIT_ACTIONS } from '../../src/auth/audit/audit-entry.ts'
import { SIGN_IN_FAILURES } from '../../src/auth/sessions/oidc/oidc-sign-in.ts'

test('exactly the actions of the audit log have a label', () => {
  expect(Object.keys(ACTION_LABELS)).toEqual(AUDIT_ACTIONS)
})

test('exactly the existing scopes have a description', () => {
  expect(SHOWN_SCOPES.map(([scope]) => scope)).toEqual(SCOPES)
})

test('exactly the failures of a sign-in by OpenID Connect have a text', () => {
  expect(Object.keys(FAILURES)).toEqual(SIGN_IN_FAILURES)
})
