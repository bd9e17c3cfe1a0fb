import { expect, test } from 'vitest'
import { bucketRange } from '../../src/webhooks/statistics.ts'

const at = (time: string) => new Date(`2026-01-31T${time}Z`)

test.each([
  ['in a minute', '12:00:30.000', '12:01:00.000'],
  ['at the first moment of a minute', '12:00:00.000', '12:01:00.000'],
  ['at the last moment of a minute', '11:59:59.999', '12:00:00.000'],
])('without an end, the buckets of a time range have what happens now, %s', (_case, now, until) => {
  const range = bucketRange({ since: at('11:00:30'), unit: 'minute' }, at(now))
  expect(range).toEqual({ since: at('11:00:00'), until: at(until), unit: 'minute' })
})

test('an end at the first moment of a minute leaves this minute out', () => {
  const input = { since: at('11:00:00'), until: at('11:30:00'), unit: 'minute' } as const
  expect(bucketRange(input, at('12:00:00')).until).toEqual(at('11:30:00'))
})
