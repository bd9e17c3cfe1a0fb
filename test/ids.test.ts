import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/db/client.ts'
import { ID_PREFIXES, type IdKind, mintId, parseId, publicId } from '../src/ids.ts'
import { createTestDatabase } from './support/database.ts'

const kinds = Object.keys(ID_PREFIXES) as IdKind[]
let database: Database

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => await database[Symbol.asyncDispose]())

test.each(kinds)('an id of a %s is its prefix and 26 characters, and reads back', (kind) => {
  const id = mintId(kind)
  expect(id).toMatch(new RegExp(`^${ID_PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
  const uuid = parseId(kind, id)
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(publicId(kind, uuid as string)).toBe(id)
})

describe('what is no id of the kind is null', () => {
  const id = mintId('webhook')
  test.each([
    ['another kind', id.replace('wh_', 'evt_')],
    ['upper case', id.toUpperCase()],
    ['too short', id.slice(0, -1)],
    ['too long', `${id}0`],
    ['over 128 bits', `wh_8${'z'.repeat(25)}`],
    ['a letter base32 lacks', `wh_0${'u'.repeat(25)}`],
    ['no prefix', id.slice(3)],
    ['a uuid', '01a1f9a9-bcff-7ee4-9936-ba4a1c3ea8b0'],
    ['nothing', ''],
    ['white space', ` ${id}`],
  ])('%s', async (_case, given) => {
    expect(parseId('webhook', given)).toBeNull()
    expect(await inSql('select posthorn.type_id_uuid($1, $2) as value', ['wh', given])).toBeNull()
  })
})

test('Postgres and Node write and read ids alike', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uuid(), async (uuid) => {
      const id = publicId('delivery', uuid)
      expect(await inSql('select posthorn.type_id($1, $2) as value', ['msg', uuid])).toBe(id)
      expect(await inSql('select posthorn.type_id_uuid($1, $2) as value', ['msg', id])).toBe(uuid)
    }),
    { numRuns: 200 },
  )
})

test('ids are ordered by the time they are made', () => {
  const ids = Array.from({ length: 1_000 }, () => mintId('event'))
  expect(ids.toSorted()).toEqual(ids)
})

async function inSql(statement: string, values: unknown[]): Promise<unknown> {
  const { rows } = await database.pool.query(statement, values)
  return rows[0].value
}
