import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { WITHOUT_RESPONSE, whyFailed } from '../../src/console/deliveries/why-failed.ts'
import { SECRET_UNREADABLE } from '../../src/deliveries/attempts/attempt-record.ts'
import { describeOutcome } from '../../src/deliveries/attempts/describe-outcome.ts'
import type { FailureCode, Refused, TimedOut } from '../../src/outbound/outcome.ts'

/** The compiler holds these to be all of them. */
const FAILURES: Record<FailureCode, true> = {
  name_not_found: true,
  name_lookup_failed: true,
  connection_refused: true,
  connection_reset: true,
  connection_failed: true,
  network_unreachable: true,
  certificate_expired: true,
  certificate_not_yet_valid: true,
  certificate_self_signed: true,
  certificate_unknown_authority: true,
  certificate_wrong_host: true,
  certificate_invalid: true,
  tls_failed: true,
  client_certificate_demanded: true,
  http_version_refused: true,
  closed_early: true,
  invalid_http: true,
  head_too_large: true,
  proxy_failed: true,
  connections_busy: true,
}
const REFUSALS: Record<Refused['reason'], true> = {
  'address-not-public': true,
  'not-https': true,
  'url-not-allowed': true,
}
const PHASES: Record<TimedOut['phase'], true> = { connect: true, response: true }

const MEASURED = { durationMs: 1, waitedMs: 0, resent: false }

function everyCode(): string[] {
  const refused = (Object.keys(REFUSALS) as Refused['reason'][]).map((reason) =>
    describeOutcome({ kind: 'refused', reason, ...MEASURED }),
  )
  const timedOut = (Object.keys(PHASES) as TimedOut['phase'][]).map((phase) =>
    describeOutcome({ kind: 'timed-out', phase, afterMs: 1, reason: '', ...MEASURED }),
  )
  const told = [...refused, ...timedOut].map((outcome) => outcome?.code ?? '')
  return [...Object.keys(FAILURES), ...told, SECRET_UNREADABLE]
}

test('docs/deliveries.md lists every way of getting no response, and no others', () => {
  const page = readFileSync(new URL('../../docs/deliveries.md', import.meta.url), 'utf8')
  const [, codes = ''] = page.split('## Codes')
  const listed = [...codes.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code)
  expect(listed.sort()).toEqual(everyCode().sort())
})

test('every way of getting no response has a sentence and a hint, and no others have', () => {
  expect(Object.keys(WITHOUT_RESPONSE).sort()).toEqual(everyCode().sort())
})

test('the words of the server come before those of the console', () => {
  const attempt = { succeeded: false, errorCode: 'response_timed_out' }
  expect(whyFailed({ ...attempt, error: 'Not within 3 s.' })?.sentence).toBe('Not within 3 s.')
  expect(whyFailed(attempt)?.sentence).toBe('The receiver did not answer in time.')
})

test('a code that is not known yet, and every status, say something too', () => {
  expect(whyFailed({ succeeded: false, errorCode: 'of_tomorrow' })?.sentence).not.toBe('')
  for (let status = 100; status < 1_000; status++) {
    const why = whyFailed({ succeeded: false, status })
    expect(why?.sentence, String(status)).toMatch(/\.$/)
    expect(why?.hint, String(status)).toMatch(/\.$/)
  }
})

test('what succeeded did not fail', () => {
  expect(whyFailed({ succeeded: true, status: 204 })).toBeNull()
})
