import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ID_PREFIXES, type IdKind, mintId, parseId, publicId } from '../../src/db/ids.ts'
import { sharedDatabase } from '../support/database.ts'

const kinds = Object.keys(ID_PREFIXES) as IdKind[]
const database = await sharedDatabase()

test.each(kinds)(
  'an id of a %s is its prefix and 26 characters, and parses to its uuid',
  (kind) => {
    const id = mintId(kind)
    expect(id).toMatch(new RegExp(`^${ID_PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
    const uuid = parseId(kind, id)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(publicId(kind, uuid as string)).toBe(id)
  },
)

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
  ['an empty string', ''],
  ['white space', ` ${id}`],
])('an invalid id parses to null: %s', async (_case, given) => {
  expect(parseId('webhook', given)).toBeNull()
  expect(await inSql('select posthorn.parse_type_id($1, $2) as value', ['wh', given])).toBeNull()
})

// https://github.com/jetify-com/typeid/blob/main/spec/valid.yml
test.each([
  ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
  ['00000000000000000000000001', '00000000-0000-0000-0000-000000000001'],
  ['0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'],
  ['0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'],
  ['00000000000000000000000010', '00000000-0000-0000-0000-000000000020'],
  ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
  ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
])('%s matches the specification', (suffix, uuid) => {
  expect(publicId('event', uuid)).toBe(`evt_${suffix}`)
  expect(parseId('event', `evt_${suffix}`)).toBe(uuid)
})

test('Postgres and Node format and parse ids identically', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uuid(), async (uuid) => {
      const id = publicId('delivery', uuid)
      expect(await inSql('select posthorn.type_id($1, $2) as value', ['msg', uuid])).toBe(id)
      expect(await inSql('select posthorn.parse_type_id($1, $2) as value', ['msg', id])).toBe(uuid)
    }),
    { numRuns: 200 },
  )
})

test('ids ascend with the time of their creation', () => {
  const ids = Array.from({ length: 1_000 }, () => mintId('event'))
  expect(ids.toSorted()).toEqual(ids)
})

async function inSql(statement: string, values: unknown[]): Promise<unknown> {
  const { rows } = await database.pool.query(statement, values)
  return rows[0].value
}
