import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HINTS, whyFailed } from '../../../src/console/deliveries/why-failed.ts'
import { SECRET_UNREADABLE } from '../../../src/deliveries/attempts/attempt-record.ts'
import { describeOutcome } from '../../../src/deliveries/attempts/describe-outcome.ts'
import type { FailureCode, Refused, TimedOut } from '../../../src/outbound/outcome.ts'

/** The types make the compiler check that these lists are complete. */
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
}
const REFUSED_REASONS: Record<Refused['reason'], true> = {
  'address-not-public': true,
  'not-https': true,
  'url-not-allowed': true,
}
const PHASES: Record<TimedOut['phase'], true> = { connect: true, response: true }

const MEASURED = { durationMs: 1, waitedMs: 0, resent: false, connection: null }

function everyCode(): string[] {
  const refused = (Object.keys(REFUSED_REASONS) as Refused['reason'][]).map((reason) =>
    describeOutcome({ kind: 'refused', reason, ...MEASURED }),
  )
  const timedOut = (Object.keys(PHASES) as TimedOut['phase'][]).map((phase) =>
    describeOutcome({ kind: 'timed-out', phase, afterMs: 1, reason: '', ...MEASURED }),
  )
  const described = [...refused, ...timedOut].map((outcome) => outcome?.code ?? '')
  return [...Object.keys(FAILURES), ...described, SECRET_UNREADABLE]
}

test('docs/deliveries.md lists exactly the error codes of attempts without a response', () => {
  const page = readFileSync(new URL('../../../docs/deliveries.md', import.meta.url), 'utf8')
  const [, codes = ''] = page.split('## Codes')
  const listed = [...codes.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code)
  expect(listed.sort()).toEqual(everyCode().sort())
})

test('exactly these error codes have a hint', () => {
  expect(Object.keys(HINTS).sort()).toEqual(everyCode().sort())
})

test('an attempt without a response has the sentence of the server', () => {
  const attempt = { succeeded: false, errorCode: 'response_timed_out', error: 'Not within 3 s.' }
  expect(whyFailed(attempt)?.sentence).toBe('Not within 3 s.')
})

test('unknown codes and all statuses have a sentence and a hint', () => {
  expect(whyFailed({ succeeded: false, errorCode: 'of_tomorrow' })?.sentence).not.toBe('')
  for (let status = 100; status < 1_000; status++) {
    const why = whyFailed({ succeeded: false, status })
    expect(why?.sentence, String(status)).toMatch(/\.$/)
    expect(why?.hint, String(status)).toMatch(/\.$/)
  }
})

test('a successful attempt has no reason', () => {
  expect(whyFailed({ succeeded: true, status: 204 })).toBeNull()
})
