import { describe, expect, test } from 'vitest'
import { checkSchema } from '../../src/lib/json-schema.ts'

async function problemsOf(schema: object, data: unknown): Promise<string[] | null> {
  const { check, problem } = await checkSchema(schema)
  expect(problem).toBeUndefined()
  return check?.(data) ?? null
}

const TEXT = { type: 'string' }
const draft = (number: number) => `http://json-schema.org/draft-0${number}/schema#`

describe('a schema means what its version says', () => {
  test.each<[what: string, schema: object, valid: unknown[], invalid: unknown[]]>([
    ['nullable: true beside a type', { ...TEXT, nullable: true }, ['x', null], [1]],
    ['nullable: false beside null', { type: ['string', 'null'], nullable: false }, [null], [1]],
    ['nullable without a type', { nullable: true, enum: ['a'] }, ['a'], [null]],
    [
      'nullable beside a reference',
      { $ref: '#/$defs/a', nullable: true, $defs: { a: TEXT } },
      ['x'],
      [null],
    ],
    ['a multiple of a cent', { multipleOf: 0.01 }, [19.99, 4.35, 1.11, 20, -0.07, 1e20], [0.001]],
    ['a multiple of a small number', { multipleOf: 1e-7 }, [3e-7, 12.3456789], [1.5e-7]],
    ['a multiple of an integer', { multipleOf: 3 }, [9, 0, 1e21 - 1e21], [10, 9.5]],
    [
      'bounds of int64',
      { maximum: Number('9223372036854775807'), minimum: Number('-9223372036854775808') },
      [0, 2 ** 63],
      [2 ** 64],
    ],
    [
      'items without duplicates',
      { uniqueItems: true },
      [
        [1, '1', [1]],
        [{ a: 1, b: 2 }, { a: 1 }],
      ],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [1, 1],
      ],
    ],
    ['data that looks like a reference', { examples: [{ $ref: 'users', $async: true }] }, [1], []],
    [
      'a compound document',
      {
        $id: 'https://example.com/order',
        properties: { to: { $ref: 'https://example.com/address' }, next: { $ref: 'order' } },
        $defs: { a: { $id: 'address', properties: { town: TEXT } } },
      },
      [{ to: { town: 'x' } }],
      [{ to: { town: 1 } }, { next: { to: { town: 1 } } }],
    ],
    [
      'a tuple of draft 7',
      { $schema: draft(7), items: [TEXT, { type: 'number' }], additionalItems: false },
      [['x', 1], ['x']],
      [[1], ['x', 1, 2]],
    ],
    [
      'what stands beside a reference of draft 6',
      { $schema: draft(6), $ref: '#/definitions/a', maxLength: 1, definitions: { a: TEXT } },
      ['xx'],
      [1],
    ],
    [
      'a tuple beside a reference of draft 7',
      {
        $schema: draft(7),
        $ref: '#/definitions/a',
        items: [TEXT],
        definitions: { a: { type: 'array' } },
      },
      [[1]],
      ['x'],
    ],
    [
      'an anchor of draft 7',
      { $schema: draft(7), $ref: '#name', definitions: { a: { $id: '#name', ...TEXT } } },
      ['x'],
      [1],
    ],
    [
      'dependencies of draft 7',
      { $schema: draft(7), dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{ a: 1, b: 1 }, { c: 1, d: 1 }, {}],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      'an exclusive bound of draft 4',
      {
        $schema: draft(4),
        minimum: 1,
        exclusiveMinimum: true,
        maximum: 3,
        exclusiveMaximum: false,
      },
      [2, 3],
      [1, 4],
    ],
    [
      'an id of draft 4',
      {
        $schema: draft(4),
        id: 'https://a.example/b',
        $ref: 'b#/definitions/a',
        definitions: { a: TEXT },
      },
      ['x'],
      [1],
    ],
    [
      'a recursive reference of 2019-09',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        type: 'object',
        properties: { child: { $recursiveRef: '#' } },
      },
      [{ child: {} }],
      [{ child: 1 }],
    ],
    [
      'the dialect of OpenAPI',
      { $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', ...TEXT },
      ['x'],
      [1],
    ],
  ])('%s', async (_what, schema, valid, invalid) => {
    for (const data of valid) expect(await problemsOf(schema, data)).toEqual([])
    for (const data of invalid) expect(await problemsOf(schema, data)).not.toEqual([])
  })
})

test.each([
  [
    'another dialect',
    { properties: { a: { $schema: 'https://example.com/mine' } } },
    /the "\$schema" "https:\/\/example.com\/mine" at \/properties\/a, .*Convert the schema/,
  ],
  [
    'another document',
    { items: { $ref: 'https://example.com/b' } },
    /refers to "https:\/\/example.com\/b" at \/items, which it does not contain\. Copy/,
  ],
  [
    'a reference into a tuple of draft 7',
    { $schema: draft(7), items: [TEXT], properties: { a: { $ref: '#/items/0' } } },
    /refers to "#\/items\/0" at \/properties\/a, which it does not contain\. Copy/,
  ],
  [
    'a type that is none',
    { properties: { a: { type: 'text' } } },
    /JSON Schema \(2020-12\): \/properties\/a\/type must be equal to one of .*: array, boolean/,
  ],
  [
    'a pattern that is none',
    { properties: { 'a/b': { pattern: '(' } } },
    /JSON Schema \(2020-12\): Invalid regular expression: \/\(\/u: .*; write /,
  ],
  [
    'a pattern of names that is none',
    { items: { patternProperties: { '[\\w-.]': true } } },
    /\[\\w-\.\].*write \\- for a hyphen/,
  ],
  ['more than 512 KiB', { enum: ['x'.repeat(512 * 1024)] }, /at most 512 KiB/],
])('a schema of %s is refused with the remedy', async (_what, schema, message) => {
  expect((await checkSchema(schema)).problem).toMatch(message)
})

test('the first check of large data is decided, as each later one', async () => {
  const part = { type: 'object', properties: { a: TEXT, b: { type: 'string', format: 'uri' } } }
  const schema = {
    type: 'array',
    items: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/part' }] },
    $defs: { part },
  }
  const data = Array.from({ length: 5_000 }, (_, i) => ({
    a: `a ${i}`,
    b: `https://example.com/${i}`,
  }))
  expect(await problemsOf(schema, data)).toEqual([])
})

test.each([
  [
    'a list of lists',
    { allOf: Array(2).fill({ items: { $ref: '#/$defs/list' } }) },
    (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)),
  ],
  [
    'choices of choices',
    {
      anyOf: Array(3).fill({
        type: 'object',
        required: ['never'],
        properties: { a: { $ref: '#/$defs/list' } },
      }),
    },
    (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  ],
])('a check of %s that would take hours is undecided', async (_what, list, nested) => {
  const schema = { $ref: '#/$defs/list', $defs: { list } }
  expect(await problemsOf(schema, nested(100))).toBeNull()
  expect(await problemsOf(schema, nested(3))).not.toBeNull()
})
