import { z } from 'zod'
import type { Actor } from '../auth/access/actor.ts'
import { checkEditConflict } from '../auth/audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, invalid, notFound } from '../lib/errors.ts'
import { readJson } from '../lib/parse-json.ts'
import { changesRule, type GivenSettings, newObjectRule } from '../lib/setting.ts'
import { checkInput, omitUndefined } from '../lib/validation.ts'
import { requireWithinInstallation } from '../organizations/retention/retention-rules.ts'
import { type CatalogueType, SELECT_TYPES } from './catalogue/catalogue-type.ts'
import { compareType, parsed, type TypeChange } from './catalogue/check-catalogue.ts'
import { selectionFindings } from './catalogue/findings.ts'
import { writeCatalogue } from './catalogue/write-catalogue.ts'
import {
  EVENT_TYPE_NAME,
  EVENT_TYPE_SETTINGS,
  payloadIssues,
  reservedIssues,
} from './event-type-settings.ts'
import { readNames } from './find-event-types.ts'

const newEventType = newObjectRule({ name: EVENT_TYPE_NAME, ...EVENT_TYPE_SETTINGS })
const eventTypeChanges = changesRule(EVENT_TYPE_SETTINGS).extend({
  archived: z.boolean('must be true or false').optional(),
})

/** A missing field stays unchanged. Null removes the schema, the example, the search keys, the group or the retention. */
export interface EventTypeChanges extends GivenSettings<typeof EVENT_TYPE_SETTINGS> {
  readonly archived?: boolean | undefined
  /** In place of the values: their texts, which are kept to the letter. */
  readonly schemaText?: string | null | undefined
  readonly exampleText?: string | null | undefined
}

export interface NewEventType extends Omit<EventTypeChanges, 'archived'> {
  readonly name: string
}

interface GraphOptions {
  /** Whether to change the catalogue even if that breaks selections of webhooks. Default: false. */
  readonly acceptBrokenSelections?: boolean | null | undefined
}

/** Adds an event type to the catalogue of all organizations. Throws `conflict` if the name exists. */
export async function createEventType(
  prisma: PrismaClient,
  input: NewEventType,
  actor: Actor,
  options: GraphOptions = {},
): Promise<void> {
  const fields = await readFields(newEventType, input.name, input)
  const change = compareType(null, { ...fields, archived: false }) as TypeChange
  if (await prisma.$transaction((tx) => writeChange(tx, actor, change, options))) return
  throw new DomainError(
    'conflict',
    `The event type ${input.name} exists already, perhaps archived. Update or unarchive it, or choose another name.`,
  )
}

/**
 * Changes an event type, archives it or returns it to the catalogue. An archived one can be neither published nor
 * subscribed to; published events and existing subscriptions stay. Throws `not_found` or `invalid`, or an `EditConflict`
 * if the event type was changed after `ifRevision`.
 */
export async function updateEventType(
  prisma: PrismaClient,
  name: string,
  input: EventTypeChanges,
  actor: Actor,
  {
    ifRevision,
    ...options
  }: GraphOptions & { readonly ifRevision?: number | null | undefined } = {},
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const before = await lockEventType(tx, name)
    const fields = await readFields(eventTypeChanges, name, input, before)
    const change = compareType(before, { ...before, ...omitUndefined(fields) })
    if (change === null) return
    const { revision } = await tx.eventType.findUniqueOrThrow({ where: { name } })
    const edited = { organizationId: null, subjectId: name, revision, actions: REVISING }
    await checkEditConflict(tx, edited, ifRevision)
    await writeChange(tx, actor, change, options)
  })
}

/** Checks the input. Returns its fields with the texts of the schema and the example. Throws `invalid`. */
async function readFields<Fields extends object>(
  rule: z.ZodType<Fields>,
  name: string,
  input: EventTypeChanges,
  before: Pick<CatalogueType, 'schema' | 'example'> = { schema: null, example: null },
) {
  const issues: FieldIssue[] = []
  const read = (field: 'schema' | 'example') => {
    const isGiven = input[field] !== undefined || typeof input[`${field}Text`] === 'string'
    if (!isGiven) return { value: parsed(before[field]), text: before[field] }
    return readJson(input, field, issues, { inexact: field === 'schema' })
  }
  const [schema, example] = [read('schema'), read('example')]
  const texts = { schema: schema?.text ?? null, example: example?.text ?? null }
  const given = texts.schema === before.schema ? {} : { schema: schema?.value ?? null }
  const { data, issues: others } = checkInput(rule, { ...input, ...given })
  issues.push(...others)
  const isEdit = Object.keys(omitUndefined(input)).some((field) => field !== 'archived')
  if (isEdit) {
    const payload = await payloadIssues(schema?.value ?? null, example?.value ?? null)
    issues.push(...reservedIssues(name), ...payload)
  }
  if (!data || issues.length > 0) throw invalid(issues)
  return { ...data, ...texts }
}

/** Throws `invalid` if the change breaks selections or the retention is too long. Returns false if an added event type exists. */
async function writeChange(
  tx: Db,
  actor: Actor,
  change: TypeChange,
  { acceptBrokenSelections }: GraphOptions,
): Promise<boolean> {
  const { retentionDays } = change.after
  if (retentionDays !== change.before?.retentionDays) {
    await requireWithinInstallation(tx, retentionDays)
  }
  const broken = acceptBrokenSelections ? [] : await selectionFindings(tx, [change])
  if (broken.length === 0) return await writeCatalogue(tx, actor, [change])
  throw invalid(
    broken.map(({ finding: { message } }) => ({
      path: ['acceptBrokenSelections'],
      code: 'breaks_selection',
      detail: `${message} ${REMEDY}`,
    })),
  )
}

/** The actions of which each increases the revision once. */
const REVISING = ['event_type.updated', 'event_type.archived', 'event_type.unarchived'] as const

const REMEDY =
  'Change the selection of each of these webhooks first, or set acceptBrokenSelections (--accept-broken-selections on the command line): each webhook then goes on sending what its selection took when it was saved.'

/** Serializes changes of an event type, because its example must match its schema. */
async function lockEventType(tx: Db, name: string): Promise<CatalogueType> {
  // Postgres rejects NUL in text.
  const [type] = name.includes('\0')
    ? []
    : await tx.$queryRawUnsafe<CatalogueType[]>(`${SELECT_TYPES} where name = $1 for update`, name)
  if (type) return type
  throw notFound('event type', name, didYouMean(name, await readNames(tx)))
}
