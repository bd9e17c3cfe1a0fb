import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HINTS } from '../../../src/console/deliveries/failure-hints.ts'
import { whyFailed } from '../../../src/console/deliveries/why-failed.ts'
import { ERROR_CODES } from '../../../src/deliveries/attempts/attempt-record.ts'

const CODES = [...ERROR_CODES].sort()

test('docs/concepts/deliveries.md lists exactly the error codes of attempts without a response', () => {
  expect(documentedCodes().map(({ code }) => code)).toEqual(CODES)
})

test('exactly these error codes have a hint', () => {
  expect(Object.keys(HINTS).sort()).toEqual(CODES)
})

test('the documentation names who can act, and the hint sends readers to the operator in the same cases', () => {
  for (const { code, toAct } of documentedCodes()) {
    expect(['receiver', 'webhook', 'operator'], code).toEqual(expect.arrayContaining(toAct))
    const sendsToOperator = HINTS[code]?.includes('Posthorn operator')
    expect(sendsToOperator, code).toBe(toAct.includes('operator'))
  }
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

/** The table of the codes, sorted. */
function documentedCodes(): { code: string; toAct: string[] }[] {
  const page = readFileSync(
    new URL('../../../docs/concepts/deliveries.md', import.meta.url),
    'utf8',
  )
  const [, table = ''] = page.split('## Codes')
  return [...table.matchAll(/^\| `([a-z_]+)` \| .+ \| ([a-z ]+) \|$/gm)]
    .map(([, code = '', toAct = '']) => ({ code, toAct: toAct.split(' or ') }))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
}
