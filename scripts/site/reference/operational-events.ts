import { operationalTypes } from '../../../src/health/alerts/operational-event-types.ts'
import { code, fenced, page, prose, table } from './markdown.ts'
import { schemaFields } from './schema-fields.ts'

export function operationalEventsPage(): string {
  const types = operationalTypes()
  return page(
    '# Operational events',
    'The events that Posthorn itself publishes: what webhooks, secrets and API keys need somebody to know. They are off until an operator switches them on: [Alerts](../guides/alerts.md) says how, and how they reach a channel or a mailbox. The examples leave out `summary`, a sentence, and `alert`, for programs that page people.',
    table(
      ['event type', ''],
      types.map(({ name, description }) => [code(name), prose(description)]),
    ),
    ...types.map(section),
  )
}

function section({ name, description, example, schema }: ReturnType<typeof operationalTypes>[0]) {
  const required = new Set(schema.required)
  const described = schemaFields(schema)
  const fields = [
    ...described,
    ...[...required]
      .filter((key) => !described.some(({ path }) => path === key))
      .map((path) => ({ path, type: 'any', required: true, rules: [] })),
  ]
  return page(
    `## ${name}`,
    prose(description),
    table(
      ['field of `data`', 'type', 'always there', ''],
      fields.map(({ path, type, required, rules }) => [
        code(path),
        type,
        required ? 'yes' : 'no',
        rules.join('; '),
      ]),
    ),
    'An example of `data`:',
    fenced(JSON.stringify(example, null, 2), 'json'),
  ).trimEnd()
}
