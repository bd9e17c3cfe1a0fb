import { z } from 'zod'
import type { FieldIssue } from '../lib/errors.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import { checkSchema } from '../lib/json-schema.ts'
import type { Settings } from '../lib/setting.ts'
import { RETENTION_DAYS, retentionDaysRule } from '../organizations/retention/retention-rules.ts'
import { MAX_DATA_BYTES, OPERATIONAL_PREFIX } from './event-type.ts'
import { searchKeysRule } from './search-key.ts'

const NAME = /^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$/

const textRule = (max: number) =>
  z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max.toLocaleString('en')} characters`)
    .refine((text) => !text.includes('\0'), 'must not contain the NUL character')

/** What an operator sets of an event type with a name. `payloadIssues` has the other rules of the schema and the example. */
export const EVENT_TYPE_SETTINGS = {
  description: {
    rule: textRule(1_000),
    required: true,
    description: 'What an event of this type means: 1 to 1,000 characters.',
  },
  schema: {
    rule: z.record(z.string(), z.unknown(), 'must be a JSON Schema in an object').nullable(),
    description:
      'A JSON Schema (2020-12) for the `data` of events: an object of at most 512 KiB, without external references. Patterns are checked in linear time, so look-around and back-references are rejected. GraphQL and the command line validate against it; the SQL function `posthorn.publish_events` does not. Null, the default: any JSON is valid.',
  },
  example: {
    rule: z.unknown(),
    description:
      'An example of the `data` of an event. It must match the schema. `testDelivery` sends it. Null, the default: none.',
  },
  searchKeys: {
    rule: searchKeysRule.nullable().transform((keys) => keys ?? []),
    description:
      'The search keys: at most 8 JSON paths in the `data` of events, such as `$.order.id`, `$.items[0].sku` or `$["order-id"]`. When an event is published, the strings, numbers and booleans at these paths are indexed, so that `events` and `deliveries` find it by them. Longer values than 200 characters, objects, arrays and null are not indexed, nor is an event whose data has `\\u0000` or a lone surrogate. Null, the default: none. A change applies to events that are published afterwards.',
  },
  group: {
    rule: textRule(100).nullable(),
    description:
      'The group that the event type belongs to in the catalogue, such as `Orders`: 1 to 100 characters. Null, the default: none.',
  },
  retentionDays: {
    rule: retentionDaysRule,
    description: `${RETENTION_DAYS} Null, the default: as long as the organization of the event keeps others.`,
  },
} as const satisfies Settings

export const EVENT_TYPE_NAME = {
  rule: z
    .string('must be a string')
    .max(128, 'must have at most 128 characters')
    .regex(NAME, 'must be words of letters, digits, _ and -, joined by dots')
    // Programs look handlers and schemas up by the name.
    .refine(
      (name) => !Object.hasOwn(Object.prototype, name),
      'must not be a member that every object of JavaScript has, such as constructor',
    ),
  required: true,
  description:
    'The name, such as `event_attendee.joined_event`: at most 128 letters, digits, `_` and `-`, in words joined by dots. It cannot be changed.',
} as const

/** The issue of a name that only Posthorn itself may define. */
export function reservedIssues(name: string): FieldIssue[] {
  if (!name.startsWith(OPERATIONAL_PREFIX)) return []
  const detail = `The event types that begin with ${OPERATIONAL_PREFIX} are those of operational events, which only Posthorn itself defines. Choose another one.`
  return [{ path: ['name'], code: 'reserved_event_type', detail }]
}

/** The issues of a JSON Schema, or null, and of an example, which must match it. */
export async function payloadIssues(schema: unknown, example: unknown): Promise<FieldIssue[]> {
  const issues: FieldIssue[] = []
  const report = (field: string, code: IssueCode, detail: string) =>
    issues.push({ path: [field], code, detail: `${field} ${detail}` })
  for (const [field, value] of Object.entries({ schema, example })) {
    if (!isStorable(value))
      report(field, 'invalid_text', 'must not contain the NUL character or a lone surrogate.')
  }
  const exampleJson = JSON.stringify(example)
  const bytes = Buffer.byteLength(exampleJson)
  if (bytes > MAX_DATA_BYTES) {
    report(
      'example',
      'too_large',
      `must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not ${bytes}.`,
    )
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return issues
  const { check, problem } = await checkSchema(schema)
  if (problem) report('schema', 'invalid_schema', problem)
  const mismatches = (example !== null && check?.(example)) || []
  if (mismatches.length > 0) {
    report('example', 'schema_mismatch', `does not match the schema: ${mismatches.join('; ')}.`)
  }
  return issues
}

/** Whether `jsonb` accepts every string in the value. */
function isStorable(value: unknown): boolean {
  const escapes = /\\u(0000|d[89a-f][0-9a-f]{2})/i
  // Without escaped backslashes, each remaining `\\u0000` is an escape, not literal text.
  return !escapes.test(JSON.stringify(value).replaceAll('\\\\', ''))
}
