import { operationalTypes } from '../../../src/health/alerts/operational-event-types.ts'
import { code, fenced, page, prose, table } from './markdown.ts'

export function operationalEventsPage(): string {
  const types = operationalTypes()
  return page(
    '# Operational events',
    'The events that Posthorn itself publishes: what webhooks, secrets and API keys need somebody to know. They are off until an operator switches them on: [The console](../guides/console.md) says how, and how they reach a channel or a mailbox. The examples leave out `summary`, a sentence, and `alert`, for programs that page people.',
    table(
      ['event type', ''],
      types.map(({ name, description }) => [code(name), prose(description)]),
    ),
    ...types.map(section),
  )
}

function section({ name, description, example, schema }: ReturnType<typeof operationalTypes>[0]) {
  const others = schema.required.filter((key) => !Object.hasOwn(schema.properties, key))
  return page(
    `## ${name}`,
    prose(description),
    table(
      ['field of `data`', 'type', 'always there', ''],
      [...rowsOf(schema), ...others.map((key) => [code(key), 'any', 'yes', ''])],
    ),
    'An example of `data`:',
    fenced(JSON.stringify(example, null, 2), 'json'),
  ).trimEnd()
}

/** What the schemas of operational events use of JSON Schema. */
interface Field {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly enum?: readonly string[]
  readonly items?: Field
  readonly required?: readonly string[]
  readonly properties?: object
}

/** The fields of an object, each before the fields in it. */
function rowsOf({ required = [], properties = {} }: Field, parent = ''): string[][] {
  return Object.entries<Field>({ ...properties }).flatMap(([name, field]) => [
    [
      code(parent + name),
      typeOf(field),
      required.includes(name) ? 'yes' : 'no',
      rulesOf(field).join('; '),
    ],
    ...rowsOf(field, `${parent}${name}.`),
  ])
}

function typeOf({ type = 'string', items }: Field): string {
  return items ? `list of ${typeOf(items)}` : [type].flat().join(' or ')
}

function rulesOf({ format, minimum, enum: choices }: Field): string[] {
  return [
    ...(format === undefined ? [] : [`format ${format}`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(choices ? [`one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`] : []),
  ]
}
