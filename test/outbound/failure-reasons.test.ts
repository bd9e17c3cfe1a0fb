import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERROR_CODES as OF_CONSOLE } from '../../packages/console/deliveries/list/cause-labels.ts'
import { ERROR_CODES, wordsOf } from '../../src/outbound/failure-reasons.ts'

test('docs/concepts/deliveries.md has the meaning of each error code', () => {
  const page = readFileSync(new URL('../../docs/concepts/deliveries.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('## Codes')
  const rows = ERROR_CODES.map(
    (code) => `| \`${code}\` | ${wordsOf({ status: null, errorCode: code })[0]} |`,
  )
  expect(table.match(/^\| `[a-z_]+` \|.*$/gm)).toEqual(rows)
})

test('the filters of the console offer all error codes', () => {
  expect(OF_CONSOLE).toEqual(ERROR_CODES)
})

test('unknown codes and all statuses have a meaning and advice', () => {
  expect(wordsOf({ status: null, errorCode: 'of_tomorrow' })).not.toContain(undefined)
  for (let status = 100; status < 1_000; status++) {
    const words = wordsOf({ status, errorCode: null })
    expect(words, String(status)).toEqual([
      expect.stringMatching(/\.$/),
      expect.stringMatching(/\.$/),
    ])
  }
})
