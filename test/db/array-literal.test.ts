import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ArrayElement, arrayLiteral } from '../../src/db/array-literal.ts'
import { sharedDatabase } from '../support/database.ts'

const database = await sharedDatabase()

async function readBack(type: string, elements: readonly ArrayElement[]): Promise<unknown> {
  const { rows } = await database.pool.query(`select $1::${type}[] as list`, [
    arrayLiteral(elements),
  ])
  return rows[0].list
}

const special = fc.constantFrom('"', '\\', '{', '}', ',', 'NULL', 'null', '', ' ', '\n', "'")
const texts = fc.oneof(
  special,
  fc.array(special).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
)

test.each<[string, fc.Arbitrary<ArrayElement>]>([
  ['text', texts.map((text) => text.replaceAll('\0', ''))],
  ['uuid', fc.uuid()],
  ['jsonb', fc.json().filter((text) => !text.includes('\\u0000'))],
  ['int', fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })],
  ['float8', fc.double({ noDefaultInfinity: true })],
  ['boolean', fc.boolean()],
  ['bytea', fc.uint8Array().map((bytes) => Buffer.from(bytes))],
  [
    'timestamptz',
    fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
  ],
])('Postgres reads a list of %s unchanged', async (type, element) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(element, { freq: 10 })), async (elements) => {
      const asDriver = await database.pool.query(`select $1::${type}[] as list`, [elements])
      expect(await readBack(type, elements)).toEqual(asDriver.rows[0].list)
    }),
    { numRuns: 100 },
  )
})

test('Postgres rejects invalid elements of an array literal', async () => {
  await expect(readBack('int', ['one'])).rejects.toThrow('invalid input syntax')
  await expect(readBack('text', ['a\0b'])).rejects.toThrow('invalid byte sequence')
})
