import { z } from 'zod'
import type { Actor } from '../auth/access/actor.ts'
import { checkEditConflict } from '../auth/audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { DomainError, type FieldIssue, invalid, notFound } from '../lib/errors.ts'
import { changesRule, type GivenSettings, newObjectRule } from '../lib/setting.ts'
import { checkInput, omitUndefined } from '../lib/validation.ts'
import { type CatalogueType, SELECT_TYPES } from './catalogue/catalogue-type.ts'
import { compareType, parsed, type TypeChange } from './catalogue/check-catalogue.ts'
import { selectionFindings } from './catalogue/findings.ts'
import { writeCatalogue } from './catalogue/write-catalogue.ts'
import { OPERATIONAL_PREFIX } from './event-type.ts'
import { EVENT_TYPE_NAME, EVENT_TYPE_SETTINGS, payloadIssues } from './event-type-settings.ts'

const newEventType = newObjectRule({ name: EVENT_TYPE_NAME, ...EVENT_TYPE_SETTINGS })
const eventTypeChanges = changesRule(EVENT_TYPE_SETTINGS).extend({
  archived: z.boolean('must be true or false').optional(),
})

/** A missing field stays unchanged. Null removes the schema, the example, the search keys, the group or the retention. */
export interface EventTypeChanges extends GivenSettings<typeof EVENT_TYPE_SETTINGS> {
  readonly archived?: boolean | undefined
  /** The texts of the schema and the example, as their author wrote them. Missing: as JavaScript prints their values. */
  readonly schemaText?: string | undefined
  readonly exampleText?: string | undefined
}

export interface NewEventType extends Omit<EventTypeChanges, 'archived'> {
  readonly name: string
}

interface GraphOptions {
  /** Whether to change the catalogue even if that breaks selections of webhooks. Default: false. */
  readonly acceptBrokenSelections?: boolean | undefined
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
  const { schema, example } = data
  const texts = {
    schema: textOf(schema, input.schemaText),
    example: textOf(example, input.exampleText),
  }
  const change = compareType(null, { ...data, ...texts, archived: false }) as TypeChange
  const isCreated = await prisma.$transaction(async (tx) => {
    await requireUnbroken(tx, change, options)
    return await writeCatalogue(tx, actor, [change])
  })
  if (isCreated) return
  throw new DomainError(
    'conflict',
    `The event type ${data.name} exists already, perhaps archived. Update or unarchive it, or choose another name.`,
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
    const { data, issues } = checkInput(eventTypeChanges, input)
    const { archived, ...others } = omitUndefined(input)
    const { schema = parsed(before.schema), example = parsed(before.example) } = input
    const isArchiving = archived !== undefined && Object.keys(others).length === 0
    const ofEdit = [...reservedIssues(name), ...(await payloadIssues(schema, example))]
    const allIssues = [...issues, ...(isArchiving ? [] : ofEdit)]
    if (!data || allIssues.length > 0) throw invalid(allIssues)
    const change = compareType(before, {
      ...before,
      ...omitUndefined(data),
      schema: 'schema' in others ? textOf(schema, input.schemaText) : before.schema,
      example: 'example' in others ? textOf(example, input.exampleText) : before.example,
    })
    if (change === null) return
    const { revision } = await tx.eventType.findUniqueOrThrow({ where: { name } })
    const edited = { organizationId: null, subjectId: name, revision, actions: REVISING }
    await checkEditConflict(tx, edited, ifRevision)
    await requireUnbroken(tx, change, options)
    await writeCatalogue(tx, actor, [change])
  })
}

function reservedIssues(name: string): FieldIssue[] {
  if (!name.startsWith(OPERATIONAL_PREFIX)) return []
  const detail = `The event types that begin with ${OPERATIONAL_PREFIX} are those of operational events, which only Posthorn itself defines. Choose another one.`
  return [{ path: ['name'], code: 'reserved_event_type', detail }]
}

/** The actions of which each increases the revision once. */
const REVISING = ['event_type.updated', 'event_type.archived', 'event_type.unarchived'] as const

/** Throws `invalid` if the change breaks selections. */
async function requireUnbroken(
  tx: Db,
  change: TypeChange,
  { acceptBrokenSelections = false }: GraphOptions,
): Promise<void> {
  if (acceptBrokenSelections) return
  const broken = await selectionFindings(tx, [change])
  if (broken.length === 0) return
  throw invalid(
    broken.map(({ finding: { message } }) => ({
      path: ['acceptBrokenSelections'],
      code: 'breaks_selection',
      detail: `${message} ${REMEDY}`,
    })),
  )
}

const REMEDY =
  'Change the selection of each of these webhooks first, or set acceptBrokenSelections (--accept-broken-selections on the command line): each webhook then goes on sending what its selection took when it was saved.'

/** Serializes changes of an event type, because its example must match its schema. */
async function lockEventType(tx: Db, name: string): Promise<CatalogueType> {
  // Postgres rejects NUL in text.
  const [type] = name.includes('\0')
    ? []
    : await tx.$queryRawUnsafe<CatalogueType[]>(`${SELECT_TYPES} where name = $1 for update`, name)
  if (type) return type
  const others = await tx.eventType.findMany({ select: { name: true } })
  throw notFound(
    'event type',
    name,
    didYouMean(
      name,
      others.map((one) => one.name),
    ),
  )
}

/** Null for no value. */
function textOf(value: unknown, given: string | undefined): string | null {
  return value === null || value === undefined ? null : (given ?? JSON.stringify(value))
}
