import { z } from 'zod'
import type { Actor } from '../auth/access/actor.ts'
import { changedFields, writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { checkEditConflict } from '../auth/audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { EventType, PrismaClient } from '../db/generated/prisma/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, invalid, notFound } from '../lib/errors.ts'
import { isSameJson } from '../lib/exact-json.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import { checkSchema } from '../lib/json-schema.ts'
import { checkInput, omitUndefined } from '../lib/validation.ts'
import {
  requireWithinInstallation,
  retentionDaysRule,
} from '../organizations/retention/retention-rules.ts'
import { checkEventGraph, type GraphOptions } from './check-event-graph.ts'
import { MAX_DATA_BYTES, OPERATIONAL_PREFIX } from './event-type.ts'
import { searchKeysRule } from './search-key.ts'

const NAME = /^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$/

/** The fields that an operator can set, with their rules. `payloadIssues` has those of the schema and the example. */
export const eventTypeFields = {
  name: z
    .string('must be a string')
    .max(128, 'must have at most 128 characters')
    .regex(NAME, 'must be words of letters, digits, _ and -, joined by dots')
    // Programs look handlers and schemas up by the name.
    .refine(
      (name) => !Object.hasOwn(Object.prototype, name),
      'must not be a member that every object of JavaScript has, such as constructor',
    ),
  description: z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(1_000, 'must have at most 1,000 characters')
    .refine((text) => !text.includes('\0'), 'must not contain the NUL character'),
  schema: z.record(z.string(), z.unknown(), 'must be a JSON Schema in an object').nullable(),
  example: z.unknown(),
  searchKeys: searchKeysRule,
  group: z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters')
    .refine((text) => !text.includes('\0'), 'must not contain the NUL character')
    .nullable(),
  retentionDays: retentionDaysRule,
}
const newEventType = z.object({
  ...eventTypeFields,
  schema: eventTypeFields.schema.default(null),
  example: eventTypeFields.example.default(null),
  searchKeys: eventTypeFields.searchKeys.default([]),
  group: eventTypeFields.group.default(null),
  retentionDays: eventTypeFields.retentionDays.default(null),
})
const eventTypeChanges = z.object(eventTypeFields).omit({ name: true }).partial()

export type NewEventType = z.input<typeof newEventType> & PayloadTexts
/** A missing field stays unchanged. Null removes the schema, the example or the group. */
export type EventTypeChanges = z.input<typeof eventTypeChanges> & PayloadTexts

/** The texts of the schema and the example, as their author wrote them. Missing: as JavaScript prints their values. */
export interface PayloadTexts {
  readonly schemaText?: string | undefined
  readonly exampleText?: string | undefined
}

/** Adds an event type to the catalogue of all organizations. Throws `conflict` if the name exists. */
export async function createEventType(
  prisma: PrismaClient,
  input: NewEventType,
  actor: Actor,
  options: GraphOptions = {},
): Promise<void> {
  const { data, issues } = checkInput(newEventType, input)
  const payload = await payloadIssues(input.schema ?? null, input.example ?? null)
  const allIssues = [...issues, ...reservedIssues(input.name), ...payload]
  if (!data || allIssues.length > 0) throw invalid(allIssues)
  await requireWithinInstallation(prisma, data.retentionDays)
  const created = await prisma.$transaction(async (tx) => {
    const { name, description, searchKeys, group, retentionDays } = data
    const schema = textOf(data.schema, input.schemaText)
    await checkEventGraph(tx, name, { description, schema }, options)
    const count = await tx.$executeRaw`
      insert into posthorn.event_types (name, description, search_keys, group_name, retention_days, schema, example)
      values (${name}, ${description}, ${searchKeys}::text[], ${group}, ${retentionDays}::int,
        ${schema}::json, ${textOf(data.example, input.exampleText)}::json)
      on conflict do nothing`
    if (count === 0) return false
    const entry = { action: 'event_type.created', organizationId: null } as const
    await writeAuditEntry(tx, actor, { ...entry, subjectId: data.name, after: auditedFields(data) })
    return true
  })
  if (created) return
  throw new DomainError(
    'conflict',
    `The event type ${data.name} exists already, perhaps archived. Update or unarchive it, or choose another name.`,
  )
}

/**
 * Changes an event type. Published events stay as they are. Throws `not_found` or `invalid`, or an `EditConflict` if
 * fields of the input were changed after `ifRevision`.
 */
export async function updateEventType(
  prisma: PrismaClient,
  name: string,
  input: EventTypeChanges,
  actor: Actor,
  { ifRevision, ...options }: GraphOptions & { readonly ifRevision?: number | undefined } = {},
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const before = await lockEventType(tx, name)
    const { data, issues } = checkInput(eventTypeChanges, input)
    const { schema = before.schema, example = before.example } = input
    const allIssues = [
      ...issues,
      ...reservedIssues(name),
      ...(await payloadIssues(schema, example)),
    ]
    if (!data || allIssues.length > 0) throw invalid(allIssues)
    const after = { ...before, ...omitUndefined(data) }
    const texts = {
      schema: 'schema' in data ? textOf(schema, input.schemaText) : before.schemaText,
      example: 'example' in data ? textOf(example, input.exampleText) : before.exampleText,
    }
    const changed = changedFields(auditedFields(before), auditedFields(after), {
      // The values have lost digits of large numbers.
      schema: isSameJson(before.schemaText, texts.schema),
      example: isSameJson(before.exampleText, texts.example),
    })
    const { revision } = before
    const edited = { organizationId: null, subjectId: name, revision, actions: REVISING }
    if (Object.keys(changed.after).length === 0) return
    await checkEditConflict(tx, edited, ifRevision)
    if ('retentionDays' in changed.after) await requireWithinInstallation(tx, after.retentionDays)
    if ('schema' in changed.after && before.archivedAt === null) {
      const { description } = after
      await checkEventGraph(tx, name, { description, schema: texts.schema }, options)
    }
    // An equal schema is not written, because its text can differ, and another text is a new version.
    await tx.$executeRaw`
      update posthorn.event_types
      set description = ${after.description}, search_keys = ${after.searchKeys}::text[], group_name = ${after.group},
        retention_days = ${after.retentionDays}::int,
        schema = case when ${'schema' in changed.after} then ${texts.schema}::json else schema end,
        example = case when ${'example' in changed.after} then ${texts.example}::json else example end,
        revision = revision + 1, updated_at = now()
      where name = ${name}`
    await writeAuditEntry(tx, actor, {
      action: 'event_type.updated',
      organizationId: null,
      subjectId: name,
      ...changed,
    })
  })
}

function reservedIssues(name: string): FieldIssue[] {
  if (!name.startsWith(OPERATIONAL_PREFIX)) return []
  const detail = `The event types that begin with ${OPERATIONAL_PREFIX} are those of operational events, which only Posthorn itself defines. Choose another one.`
  return [{ path: ['name'], code: 'reserved_event_type', detail }]
}

/** The actions of which each increases the revision once. */
const REVISING = ['event_type.updated', 'event_type.archived', 'event_type.unarchived'] as const

/**
 * Archives an event type, or returns it to the catalogue. An archived one can be neither published nor subscribed to;
 * existing subscriptions stay. Idempotent.
 */
export async function setEventTypeArchived(
  prisma: PrismaClient,
  name: string,
  archived: boolean,
  actor: Actor,
  options: GraphOptions = {},
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const before = await lockEventType(tx, name)
    if ((before.archivedAt !== null) === archived) return
    const { description, schemaText: schema } = before
    const type = { description, schema }
    await checkEventGraph(tx, name, archived ? null : type, options)
    const now = new Date()
    await tx.eventType.update({
      where: { name },
      data: { archivedAt: archived ? now : null, revision: { increment: 1 }, updatedAt: now },
    })
    await writeAuditEntry(tx, actor, {
      action: archived ? 'event_type.archived' : 'event_type.unarchived',
      organizationId: null,
      subjectId: name,
    })
  })
}

/** Serializes changes of an event type, because its example must match its schema. */
async function lockEventType(tx: Db, name: string): Promise<LockedType> {
  // Postgres rejects NUL in text.
  const isValid = !name.includes('\0')
  const [texts] = isValid
    ? await tx.$queryRaw<Texts[]>`
        select schema::text as "schemaText", example::text as "exampleText"
        from posthorn.event_types where name = ${name} for update`
    : []
  if (texts) return { ...(await tx.eventType.findUniqueOrThrow({ where: { name } })), ...texts }
  const others = await tx.eventType.findMany({ select: { name: true } })
  const names = others.map((one) => one.name)
  throw notFound('event type', name, didYouMean(name, names))
}

type LockedType = EventType & Texts

/** The schema and the example with all their digits. */
interface Texts {
  readonly schemaText: string | null
  readonly exampleText: string | null
}

/** The fields of an event type in the audit log. */
function auditedFields({
  description,
  schema,
  example,
  searchKeys,
  group,
  retentionDays,
}: Pick<EventType, 'description' | 'searchKeys' | 'group' | 'retentionDays'> & Payloads) {
  const payloads = { schema: schema ?? null, example: example ?? null }
  // A set: another order is not a change.
  return { description, ...payloads, searchKeys: searchKeys.toSorted(), group, retentionDays }
}

interface Payloads {
  readonly schema?: unknown
  readonly example?: unknown
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

/** Null for no value. */
function textOf(value: unknown, given: string | undefined): string | null {
  return value === null || value === undefined ? null : (given ?? JSON.stringify(value))
}
