import { describe, expect, test } from 'vitest'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const database = await useTestDatabase()
const organization = (await createTenant(database.prisma)).publicOrganizationId

const OVERLOADS = ['text', 'json', 'jsonb']

/** JSON texts that are wrong as the value of a field, or may be. */
const VALUES = [
  ...['null', 'true', '0', '-1e400', `1${'0'.repeat(200_000)}`, '""', '" "', '[]', '{}'],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\\\u0000"', '"\\u0061\\u0000"'],
  ...['"\u2028\u{1f600}"', `"${'x'.repeat(300_000)}"`, `"${'\u{1f600}'.repeat(256)}"`],
  ...['["\\u0000"]', '{"\\u0000":"\\ud800"}', '{"a":1,"a":2}'],
  `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
]

const TIMES = [
  // Zones.
  ...['+99:99', '-99:00', '+16:00', '+15:60', '+24:00', ''].map(
    (zone) => `2026-01-31T12:00:00${zone}`,
  ),
  // Days and hours.
  ...['2026-02-29T00', '2026-02-30T00', '2026-13-01T00', '2026-00-00T00', '2026-01-31T24'].map(
    (hour) => `${hour}:00:00Z`,
  ),
  // Years.
  ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
  ...['10000-01-01T00:00:00Z', '-2026-01-01T00:00:00Z'],
  // Digits.
  ...[500, 100_000].map((count) => `2026-01-31T12:00:00.${'9'.repeat(count)}Z`),
  ...['٢٠٢٦-٠١-٣١T١٢:٠٠:٠٠Z', '２０２６-０１-３１T００:００:００Z'],
  // Forms.
  ...['2026-01-31T23:59:60Z', '2026-01-31 12:00:00Z'],
  ...['infinity', 'now', 'epoch', 'January 8, 1999'],
].map((time) => JSON.stringify(time))

/** What a call with these events does: publish, or fail with a SQLSTATE. The caller's own cast can fail before. */
async function outcomeOf(overload: string, events: string) {
  const cast = await database.pool.query(`select $1::${overload}`, [events]).catch(() => null)
  if (cast === null) return { code: 'not called', message: '' }
  return await call(`publish_events($1, $2::${overload})`, [organization, events])
}

async function call(sql: string, values: unknown[]) {
  return await database.pool.query(`select * from posthorn.${sql}`, values).then(
    () => ({ code: 'published', message: '' }),
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  )
}

const REMEDY = /^events(\[0\](\.\w+)?)?: \S/
const MAX_MESSAGE = 2_000

describe.each(OVERLOADS)('as %s', (overload) => {
  test.each(['type', 'data', 'timestamp', 'idempotencyKey', 'traceparent', 'unknown'])(
    'no value of %s gives another error than 22023, with the field and the remedy',
    async (field) => {
      for (const value of [...VALUES, ...TIMES]) {
        const fields = { type: JSON.stringify(JOINED), data: '1', [field]: value }
        const json = Object.entries(fields).map(([name, given]) => `"${name}":${given}`)
        const { code, message } = await outcomeOf(overload, `[{${json}}]`)
        if (code === 'published' || code === 'not called') continue
        const what = `${field}: ${value.slice(0, 60)}`
        expect(code, `${what}: ${message.slice(0, 200)}`).toBe('22023')
        expect(message, what).toMatch(REMEDY)
        expect(message.length, what).toBeLessThan(MAX_MESSAGE)
      }
    },
  )

  test('a thousand wrong events get a short message with their number', async () => {
    const events = Array.from({ length: 1_000 }, () => ({ type: 'x'.repeat(1_000), color: 1 }))
    const { code, message } = await outcomeOf(overload, JSON.stringify(events))
    expect(code).toBe('22023')
    expect(message).toMatch(/^events\[0\]\.color: .*events\[4\]\.color: .* And 995 more\.$/)
    expect(message.length).toBeLessThan(MAX_MESSAGE)
  })
})

test('JSON of any depth is published or refused with 22023', async () => {
  const codes = new Set<string>()
  for (let depth = 500; depth < 200_000; depth = Math.ceil(depth * 1.1)) {
    const nested = '['.repeat(depth) + ']'.repeat(depth)
    for (const events of [nested, `[{"type":"${JOINED}","data":${nested}}]`]) {
      const { code, message } = await outcomeOf('text', events)
      expect(code, `${depth}: ${message}`).toMatch(/^(22023|published)$/)
      codes.add(code)
    }
    for (const overload of ['json', 'jsonb']) {
      const { code } = await outcomeOf(overload, nested)
      expect(code).toMatch(/^(22023|published|not called)$/)
    }
  }
  expect([...codes].sort()).toEqual(['22023', 'published'])
})
