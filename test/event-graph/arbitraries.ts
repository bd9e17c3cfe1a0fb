import fc from 'fast-check'
import { EVENT_FIELDS, fieldNames } from '../../src/event-graph/names.ts'
import { rawItems, rawMembers } from '../../src/lib/raw-json.ts'

/** What a value is like: as a JSON Schema says, and as data and selections are made of. */
export type Shape =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'list'; readonly of: Shape }
  | ObjectShape

interface ObjectShape {
  readonly kind: 'object'
  readonly members: readonly (readonly [string, Shape])[]
}

interface Scalar {
  readonly schema: object | boolean
  readonly takes: (text: string) => boolean
}

const SCALARS: readonly Scalar[] = [
  { schema: { type: 'string' }, takes: (text) => text.startsWith('"') },
  { schema: { type: ['boolean', 'null'] }, takes: (text) => text === 'true' || text === 'false' },
  { schema: { type: 'number' }, takes: (text) => /^[-0-9]/.test(text) },
  { schema: { type: 'integer' }, takes: (text) => /^[-0-9]/.test(text) },
  {
    schema: { type: 'integer', minimum: 0, maximum: 100 },
    takes: (text) => /^[-0-9]/.test(text),
  },
  {
    schema: { enum: ['paid', 'open', null] },
    takes: (text) => text.startsWith('"'),
  },
  { schema: true, takes: () => true },
  { schema: { type: ['string', 'number'] }, takes: () => true },
]

/**
 * Names that GraphQL cannot spell, that JavaScript has, or that would be the same. Without the name of one backslash:
 * `JSON.parse` of V8 13.6 reads "\\u0000" as that name in an object like one that it parsed before.
 */
export const HOSTILE_NAMES = [
  ...['order-id', 'order_id', 'order.id', 'orderId', '__typename', '$ref', 'a.b', 'a_b', '1st'],
  ...[
    '😀',
    '',
    'constructor',
    '__proto__',
    'toString',
    'id',
    'type',
    'data',
    'previous',
    'data_id',
  ],
  ...['a\nb', '"', 'é', '__', '_', 'a_x2d_b', 'a-b', '\u0000', 'length', 'true', 'null'],
]
const names = fc
  .oneof(fc.constantFrom(...HOSTILE_NAMES), fc.string({ maxLength: 3 }))
  .filter((name) => !name.includes('\\'))

export const shapes = fc.letrec<{ any: Shape; object: ObjectShape }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc.constantFrom(...SCALARS).map((scalar) => ({ kind: 'scalar', scalar })),
    },
    { weight: 1, arbitrary: tie('any').map((of) => ({ kind: 'list', of })) },
    { weight: 3, arbitrary: tie('object') },
  ) as fc.Arbitrary<Shape>,
  object: fc
    .uniqueArray(fc.tuple(names, tie('any')), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 5,
    })
    .map((members) => ({ kind: 'object', members })),
}))

/** The JSON Schema of a shape. */
export function schemaOf(shape: Shape): object | boolean {
  switch (shape.kind) {
    case 'scalar':
      return shape.scalar.schema
    case 'list':
      return { type: 'array', items: schemaOf(shape.of) }
    case 'object':
      return { type: 'object', properties: propertiesOf(shape) }
  }
}

function propertiesOf({ members }: ObjectShape): object {
  return Object.fromEntries(members.map(([name, member]) => [name, schemaOf(member)]))
}

const space = fc.constantFrom('', '', ' ', '\n\t ')
const scalarTexts = fc.constantFrom(
  ...['0', '-0', '1', '1.0', '3.0', '1e2', '1e400', '9007199254740993', '-5', '0.1E-7', '100'],
  ...[
    '""',
    '"paid"',
    '"p\\u0061id"',
    '"\\/"',
    '"\\u0000"',
    '"\\ud800"',
    '"\\\\"',
    '"\\\\\\""',
    '"{"',
  ],
  ...['"]}"', '","', '"😀"', '" "', 'true', 'false', 'null', '"v0"'],
)

const anyTexts: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    scalarTexts,
    fc.array(tie('text'), { maxLength: 3 }).chain(arrayText),
    fc.array(fc.tuple(names, tie('text')), { maxLength: 3 }).chain(objectText),
  ),
})).text

function arrayText(items: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(space, space).map(([a, b]) => `[${a}${items.join(`${b},${a}`)}${b}]`)
}

function objectText(members: readonly (readonly [string, string])[]): fc.Arbitrary<string> {
  return fc.tuple(space, space, fc.boolean()).map(([a, b, escapes]) => {
    const texts = members.map(([name, value]) => `${nameText(name, escapes)}${b}:${a}${value}`)
    return `{${a}${texts.join(`${b},${a}`)}${b}}`
  })
}

function nameText(name: string, escapes: boolean): string {
  if (!escapes) return JSON.stringify(name)
  const codes = [...Array(name.length).keys()].map((i) => name.charCodeAt(i).toString(16))
  return `"${codes.map((code) => `\\u${code.padStart(4, '0')}`).join('')}"`
}

/** Texts of values, most of them of the shape: with white space, repeated names, and escapes in names. */
export function textsOf(shape: Shape): fc.Arbitrary<string> {
  return fc.oneof({ weight: 1, arbitrary: anyTexts }, { weight: 6, arbitrary: fittingTexts(shape) })
}

function fittingTexts(shape: Shape): fc.Arbitrary<string> {
  switch (shape.kind) {
    case 'scalar':
      return scalarTexts
    case 'list':
      return fc.array(textsOf(shape.of), { maxLength: 3 }).chain(arrayText)
    case 'object':
      return membersOf(shape).chain(objectText)
  }
}

function membersOf({ members }: ObjectShape): fc.Arbitrary<(readonly [string, string])[]> {
  const known = members.map(([name, member]) =>
    textsOf(member).map((text) => [name, text] as const),
  )
  return fc.array(fc.oneof(...known, fc.tuple(names, anyTexts)), { maxLength: 6 })
}

/** What is selected of a value: as GraphQL, and what the text of a value gives by the rules. */
export interface Selected {
  readonly graphql: string
  readonly of: (text: string | undefined) => string
}

/** `isEvent`: the shape is the data of an event type. */
export function selectionsOf(shape: Shape, isEvent = false): fc.Arbitrary<Selected> {
  switch (shape.kind) {
    case 'scalar': {
      const { takes } = shape.scalar
      return fc.constant({
        graphql: '',
        of: (text) => (text !== undefined && takes(text) ? text : 'null'),
      })
    }
    case 'list':
      return selectionsOf(shape.of).map(({ graphql, of }) => ({
        graphql,
        of: (text) => {
          const items = text === undefined ? null : rawItems(text)
          return items === null ? 'null' : `[${items.map(of).join(',')}]`
        },
      }))
    case 'object':
      return fieldsOf(shape, isEvent).map(inObject)
  }
}

type Field = Selected & { readonly key: string; readonly property: string }

function fieldsOf({ members }: ObjectShape, isEvent: boolean): fc.Arbitrary<Field[]> {
  const spelled = fieldNames(
    members.map(([name]) => name),
    isEvent ? EVENT_FIELDS : [],
  )
  const fields = members.map(([property, member], i) =>
    fc.tuple(selectionsOf(member), fc.boolean()).map(([{ graphql, of }, isAlias]): Field => {
      const name = spelled.get(property) as string
      const key = isAlias ? `alias${i}` : name
      return { graphql: `${key === name ? '' : `${key}: `}${name} ${graphql}`, of, key, property }
    }),
  )
  return fc.tuple(...fields).chain((made) => fc.subarray(made, { minLength: 1 }))
}

function inObject(fields: readonly Field[]): Selected {
  return {
    graphql: `{ ${fields.map(({ graphql }) => graphql).join(' ')} }`,
    of: (text) => {
      const members = text === undefined ? null : rawMembers(text)
      if (members === null) return 'null'
      const texts = fields.map(({ key, property, of }) => `"${key}":${of(members.get(property))}`)
      return `{${texts.join(',')}}`
    },
  }
}
