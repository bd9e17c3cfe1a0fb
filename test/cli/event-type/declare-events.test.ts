import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { declareEvents } from '../../../src/cli/event-type/declare-events.ts'
import type { DescribedEventType } from '../../../src/cli/installation/installation.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const TSC = path.join(ROOT, 'node_modules/.bin/tsc')

const TEXT = { type: 'string' }
const LINE = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } }

const SHOP: readonly DescribedEventType[] = [
  {
    name: 'order.refunded',
    description: 'An order was refunded.',
    schema: {
      type: 'object',
      required: ['order', 'line'],
      properties: { order: { type: 'integer' }, line: { $ref: '#/$defs/line' } },
      $defs: {
        line: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
      },
    },
  },
  {
    name: 'order.paid',
    description: 'An order was paid.',
    schema: {
      title: 'Order',
      $id: 'https://shop.example/order.json',
      type: 'object',
      required: ['order', 'lines'],
      properties: {
        order: { type: 'integer', description: 'The number of the order.' },
        lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
        note: { type: ['string', 'null'] },
      },
      $defs: { line: LINE },
    },
  },
  { name: 'note.written', description: 'Any JSON.', schema: null },
  {
    name: 'category.moved',
    description: 'A tree.',
    schema: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    },
  },
]

describe('the types of the catalogue', () => {
  test('have an interface with the data of each event type', async () => {
    expect(await declareEvents(SHOP)).toMatchInlineSnapshot(`
      "// Made by \`posthorn event-type types\`.

      /**
       * The type of \`data\` for each event type.
       */
      export interface Events {
        'category.moved': CategoryMoved
        /**
         * Any JSON.
         */
        'note.written': unknown
        'order.paid': OrderPaid
        'order.refunded': OrderRefunded
      }
      /**
       * A tree.
       */
      export interface CategoryMoved {
        name: string
        children?: CategoryMoved[]
      }
      /**
       * An order was paid.
       */
      export interface OrderPaid {
        /**
         * The number of the order.
         */
        order: number
        /**
         * @minItems 1
         */
        lines: Line[]
        note?: string | null
      }
      export interface Line {
        sku: string
      }
      /**
       * An order was refunded.
       */
      export interface OrderRefunded {
        order: number
        line: Line1
      }
      export interface Line1 {
        amount: number
      }
      "
    `)
  })

  test('are the same text whatever the order of the event types', async () => {
    expect(await declareEvents(SHOP.toReversed())).toBe(await declareEvents(SHOP))
  })

  test('compile without event types', async () => {
    expect(await declareEvents([])).toContain('export interface Events {}')
  })

  test('hold for programs that publish and that receive', async () => {
    const use = (statements: string) => `
      import type { Events } from './events'
      import { createClient } from '${ROOT}/packages/client/src/index.ts'
      import { verify } from '${ROOT}/src/receiver/index.ts'
      const posthorn = createClient<Events>({ url: 'http://localhost/graphql', token: 'phk_x' })
      const delivery = await verify<Events>('', {}, 'whsec_')
      if (!delivery.ok) throw new Error(delivery.reason)
      const { event } = delivery
      ${statements}`
    expect(
      await compile(
        use(`
          await posthorn.publish('order.paid', { order: 1, lines: [{ sku: 'a' }], note: null })
          await posthorn.publish('category.moved', { name: 'a', children: [{ name: 'b', children: [] }] })
          await posthorn.publish('note.written', 'anything')
          const lines: { sku: string }[] = []
          await posthorn.publishMany([{ type: 'order.paid', data: { order: 1, lines } }])
          if (event.type === 'order.paid') event.data.lines.map(({ sku }) => sku.length)
          if (event.type === 'order.refunded') event.data.line.amount.toFixed(2)`),
      ),
    ).toBe('')
    // A line without an error would be an error.
    const wrong = [
      `await posthorn.publish('order.payed', { order: 1, lines: [] })`,
      `await posthorn.publish('order.paid', { order: '1', lines: [] })`,
      `await posthorn.publish('order.paid', { lines: [] })`,
      `await posthorn.publish('order.paid', { order: 1, lines: [], nota: 'x' })`,
      `await posthorn.publishMany([{ type: 'order.paid', data: { order: 1, line: { amount: 1 } } }])`,
      `if (event.type === 'order.paid') event.data.line`,
      `if (event.type === 'order.lost') console.log(1)`,
      'event.data.order',
    ]
    const expected = wrong.map((line) => `// @ts-expect-error\n${line}`).join('\n')
    expect(await compile(use(expected))).toBe('')
  })
})

test('a schema cannot end its comment, or give TypeScript of its own', async () => {
  const text = await declareEvents([
    {
      name: 'a.b',
      description: '*/ export type Evil = 1 /*',
      schema: {
        type: 'object',
        properties: {
          one: { type: 'string', description: '*/ evil: 1 /*', tsType: 'Evil' },
          tsType: { type: 'number' },
          'quote\'"`\n': { enum: ['\'"`\n*/'] },
        },
      },
    },
  ])
  expect(
    await compile(
      `import type { Events } from './events'; export const a: Events['a.b'] = { one: 'x', tsType: 1 }`,
      text,
    ),
  ).toBe('')
  expect(text).not.toMatch(/: Evil|\*\/ export/)
})

test('a reference to a file or an address is not followed', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.end('{"type":"string"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const file = pathToFileURL(path.join(ROOT, 'package.json')).href
  for (const $ref of [`http://127.0.0.1:${port}/a`, file, '../../../package.json']) {
    const schema = { properties: { a: { $ref } } }
    const text = await declareEvents([{ name: 'a.b', description: 'x', schema }])
    expect(text).toContain(`'a.b': unknown`)
  }
  server.close()
  expect(requests).toBe(0)
})

test('an event type whose schema cannot be a type is unknown, and reported', async () => {
  const unknown: string[] = []
  const broken = { name: 'a.b', description: 'Broken.', schema: { $ref: '#/$defs/nowhere' } }
  const text = await declareEvents([broken, ...SHOP], (name) => unknown.push(name))
  expect(text).toContain(`* Broken.\n   */\n  'a.b': unknown`)
  expect(text).toContain('export interface OrderPaid')
  expect(unknown).toEqual(['a.b'])
})

test.each<[what: string, schema: object, type: string]>([
  ['a reference at the root', { $ref: '#/$defs/a', $defs: { a: TEXT } }, 'export type AB = string'],
  [
    'a reference to a type that refers to itself',
    {
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { b: { $ref: '#/$defs/a' } } } },
    },
    'export type AB = A export interface A { b?: A }',
  ],
  [
    'an anchor',
    { $ref: '#o', $defs: { o: { $anchor: 'o', type: 'object', properties: { z: TEXT } } } },
    'export type AB = O export interface O { z?: string }',
  ],
  ['no words about the data', { description: 'Anything.' }, "'a.b': unknown"],
  ['one type', TEXT, 'export type AB = string'],
  [
    'places in a list',
    { type: 'array', prefixItems: [TEXT, { type: 'number' }] },
    'export type AB = [string, number, ...unknown[]]',
  ],
  ['places alone', { prefixItems: [TEXT], items: false }, 'export type AB = [string]'],
  [
    'fields of a pattern',
    { type: 'object', patternProperties: { '^x': TEXT } },
    'export interface AB { [k: string]: string }',
  ],
  [
    'other fields beside named ones',
    { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: TEXT },
    'export interface AB { n?: number [k: string]: unknown }',
  ],
  [
    'fields that are named like keywords',
    { type: 'object', properties: { patternProperties: TEXT, tsType: TEXT, $ref: TEXT } },
    'export interface AB { patternProperties?: string tsType?: string $ref?: string }',
  ],
  [
    'a choice and constants',
    { oneOf: [{ const: 1 }, { enum: ['a', null] }] },
    "export type AB = 1 | ('a' | null)",
  ],
])('a schema with %s has its type', async (_what, schema, type) => {
  const text = await declareEvents([{ name: 'a.b', description: 'x', schema }])
  const bare = text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replace(/export interface Events {\s+'a.b': AB\s+}/, '')
  expect(bare.replaceAll(/\s+/g, ' ')).toContain(type)
})

/** The errors of the compiler for a program beside `events.d.ts`, or ''. */
async function compile(program: string, events?: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-types-'))
  try {
    await writeFile(path.join(folder, 'events.d.ts'), events ?? (await declareEvents(SHOP)))
    await writeFile(path.join(folder, 'main.ts'), program)
    const options = ['--noEmit', '--strict', '--module', 'preserve', '--target', 'es2024']
    const others = [
      '--ignoreConfig',
      '--allowImportingTsExtensions',
      '--types',
      '',
      '--lib',
      'es2024,dom',
    ]
    return await promisify(execFile)(TSC, [...options, ...others, 'main.ts'], { cwd: folder }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}
