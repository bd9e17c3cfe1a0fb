import { expect, test } from 'vitest'
import { suggestFields } from '../../../../src/console/webhooks/filter/suggest-fields.ts'
import { parsePath } from '../../../../src/lib/json-path.ts'

const ORDER = {
  schema: {
    type: 'object',
    properties: {
      status: { enum: ['paid', 'open'] },
      total: { type: 'number' },
      placedAt: { type: 'string', format: 'date-time' },
      buyer: { $ref: '#/$defs/buyer' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      items: { type: 'array', items: { properties: { sku: { type: 'string' } } } },
    },
    $defs: {
      buyer: { properties: { vip: { type: 'boolean' }, buyer: { $ref: '#/$defs/buyer' } } },
    },
  },
  example: { total: 12.5, 'ship to': { city: 'Berlin' }, "o'clock": 1 },
}

test('schema and example give the paths, their kinds and known values', () => {
  const fields = new Map(suggestFields([ORDER]).map((field) => [field.path, field]))
  const kindsOf = (path: string) => [...(fields.get(path)?.kinds ?? [])]
  expect(kindsOf('$.total')).toEqual(['number'])
  expect(kindsOf('$.placedAt')).toEqual(['time'])
  expect(kindsOf('$.buyer.vip')).toEqual(['boolean'])
  expect(kindsOf('$.note')).toEqual(['text', 'null'])
  expect(kindsOf('$.items')).toEqual(['array'])
  expect(kindsOf('$.items[*].sku')).toEqual(['text'])
  expect([...(fields.get('$.status')?.choices ?? [])]).toEqual(['paid', 'open'])
  expect([...(fields.get("$['ship to'].city")?.choices ?? [])]).toEqual(['Berlin'])
  for (const path of fields.keys()) expect(parsePath(path), path).not.toBeNull()
})

test('a name that no path can have is left out, and so are schemas that say nothing', () => {
  const paths = suggestFields([ORDER, { schema: true, example: null }]).map(({ path }) => path)
  expect(paths.filter((path) => path.includes('clock'))).toEqual([])
  expect(suggestFields([{ schema: null, example: 5 }, {}])).toEqual([])
})
