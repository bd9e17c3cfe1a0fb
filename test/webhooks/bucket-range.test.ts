import { expect, test } from 'vitest'
import { bucketRange } from '../../src/webhooks/statistics.ts'

const at = (time: string) => new Date(`2026-01-31T${time}Z`)

test.each([
  ['without an end have what happens now, in a minute', '12:00:30.000', null, '12:01:00.000'],
  ['without an end, at the first moment of a minute', '12:00:00.000', null, '12:01:00.000'],
  ['without an end, at the last moment of a minute', '11:59:59.999', null, '12:00:00.000'],
  ['up to the first moment of a minute leave it out', '12:00:00', '11:30:00', '11:30:00.000'],
])('the buckets of a time range %s', (_case, now, end, until) => {
  const given = { since: at('11:00:30'), until: end === null ? null : at(end) }
  const range = bucketRange({ ...given, unit: 'minute' }, at(now))
  expect(range).toEqual({ since: at('11:00:00'), until: at(until), unit: 'minute' })
})
