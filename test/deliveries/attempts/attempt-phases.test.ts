import { expect, test } from 'vitest'
import { phasesOf } from '../../../src/deliveries/attempts/attempt.graphql.ts'

const NONE = { firstByteMs: null, status: null, lookupMs: null, connectMs: null, tlsMs: null }

test.each([
  [
    'a response on a reused connection',
    { ...NONE, durationMs: 30, firstByteMs: 30, status: 500 },
    { waitingMs: 30, bodyMs: 0, connectionReused: true },
  ],
  [
    'a response time-out',
    { ...NONE, durationMs: 15_040, lookupMs: 5, connectMs: 10, tlsMs: 25 },
    { tlsMs: 25, waitingMs: 15_000, bodyMs: null, connectionReused: false },
  ],
  [
    'a refused connection',
    { ...NONE, durationMs: 8, lookupMs: 7, connectMs: 1 },
    { lookupMs: 7, connectMs: 1, tlsMs: null, waitingMs: null, connectionReused: false },
  ],
  [
    'a failed TLS handshake',
    { ...NONE, durationMs: 9, lookupMs: 0, connectMs: 1, tlsMs: 8 },
    { tlsMs: 8, waitingMs: null, connectionReused: false },
  ],
  [
    'an attempt that sent nothing',
    { ...NONE, durationMs: 0 },
    { lookupMs: null, waitingMs: null, bodyMs: null, connectionReused: false },
  ],
])('%s has the phases that it reached', (_what, attempt, phases) => {
  expect(phasesOf(attempt)).toMatchObject(phases)
})
