import type { Db, Sql } from '../db/client.ts'
import { atLeastKey } from '../db/selection.ts'
import {
  expandSubscriptions,
  findEventTypesByNames,
  readNames,
} from '../event-types/find-event-types.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { lookUp } from '../graphql/look-up.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { type FieldIssue, fieldIssue } from '../lib/errors.ts'
import { explainRefusals } from './filters/decide.ts'
import type { Filter } from './filters/filter.ts'
import { filterProblems } from './filters/filter-problems.ts'
import { type GivenFilter, readGivenFilter } from './filters/read-filter.ts'
import { findEventsByIds } from './find-events.ts'
import { findNewestEvents, type NewestEvents } from './find-newest-events.ts'

/** A trial reads and parses up to a hundred events. */
const COMPLEXITY = 500

interface FilterTrial {
  readonly organizationId: string
  readonly issues: readonly FieldIssue[]
  readonly events: readonly TriedEvent[]
  readonly warnings: readonly string[]
}

const TriedEventRef = builder
  .objectRef<TriedEvent & { readonly organizationId: string }>('TriedEvent')
  .implement({
    description: 'An event on which a filter was tried.',
    fields: (t) => ({
      event: t.prismaField({
        type: 'Event',
        nullable: true,
        description: 'The event. Null if it was deleted in the meantime.',
        authScopes: { scope: 'events:read' },
        resolve: (query, { uuid, organizationId }, _args, context, info) =>
          lookUp(findEventsByIds, atLeastKey(query), context, info, organizationId)(uuid),
      }),
      matches: t.exposeBoolean('matches', {
        description: 'Whether it passes. True for data about which filters do not decide.',
      }),
      refusedBy: t.exposeString('refusedBy', {
        nullable: true,
        description: 'The first condition that it does not meet, in English, or null.',
      }),
    }),
  })

const FilterTrialRef = builder.objectRef<FilterTrial>('FilterTrial').implement({
  description: 'What a filter would have done with the newest events.',
  fields: (t) => ({
    issues: t.field({
      type: ['ValidationIssue'],
      description: 'What is wrong with the filter. With any issue, no event was tried.',
      resolve: ({ issues }) => [...issues],
    }),
    tested: t.int({
      description: 'The number of events that were tried.',
      resolve: ({ events }) => events.length,
    }),
    matched: t.int({
      description: 'The number of those that match.',
      resolve: ({ events }) => events.filter(({ matches }) => matches).length,
    }),
    warnings: t.stringList({
      description:
        'The paths that the schemas of the event types do not have, one sentence each. At most 20.',
      resolve: ({ warnings }) => [...warnings],
    }),
    events: t.field({
      type: [TriedEventRef],
      description: 'The events that were tried, newest first.',
      resolve: ({ events, organizationId }) => events.map((one) => ({ ...one, organizationId })),
    }),
  }),
})

organizationFields((t) => ({
  testFilter: t.field({
    type: FilterTrialRef,
    semanticNonNull: true,
    description: `Tries a filter on the newest events of the event types, before a webhook has the filter: on at most ${LIMITS.max}, and on fewer if their data have more than 2 MiB. A session of one webhook tries events with a delivery to the webhook. Changes nothing.`,
    authScopes: { scope: 'events:read' },
    complexity: COMPLEXITY,
    portal: 'open',
    args: {
      eventSubscriptions: t.arg.stringList({
        required: true,
        description: 'The names of event types, and patterns, as of a webhook.',
      }),
      filter: t.arg({ type: 'JSON', description: 'The filter, as of a webhook.' }),
      filterText: t.arg.string({
        description: 'The filter as the text of its JSON. Not together with `filter`.',
      }),
    },
    resolve: (parent, args, context) => tryGiven(organizationOf(parent, context), args, context),
  }),
}))

async function tryGiven(
  organizationId: string,
  { eventSubscriptions, ...given }: GivenFilter & { readonly eventSubscriptions: string[] },
  context: Context,
): Promise<FilterTrial> {
  const { prisma, sql } = context
  const { filter, issues } = readGivenFilter(given)
  if (filter === null) {
    const missing = fieldIssue(['filter'], 'required', 'is required.')
    const all = issues.length > 0 ? issues : [missing]
    return { organizationId, issues: all, events: [], warnings: [] }
  }
  const types = expandSubscriptions(eventSubscriptions, await readNames(prisma))
  const onlyWebhook = context.caller.session?.webhookId ?? null
  const events = await tryFilter(sql, organizationId, filter, { types, onlyWebhook })
  return { organizationId, issues: [], events, warnings: await warningsOf(prisma, filter, types) }
}

const MAX_WARNINGS = 20

async function warningsOf(db: Db, filter: Filter, types: readonly string[]): Promise<string[]> {
  const found = await findEventTypesByNames(db, types, { select: { name: true, schema: true } })
  const problems = [...found.values()].flatMap(({ name, schema }) =>
    schema === null ? [] : filterProblems(filter, schema, name),
  )
  return problems.slice(0, MAX_WARNINGS)
}

interface TriedEvent {
  readonly uuid: string
  readonly matches: boolean
  /** Null if the event matches. */
  readonly refusedBy: string | null
}

const LIMITS = { max: 100, maxBytes: 2 * 1024 * 1024 }

/** Tries a filter on the newest of the events, newest first, within the limits. */
export async function tryFilter(
  sql: Sql,
  organizationId: string,
  filter: Filter,
  of: Pick<NewestEvents, 'types' | 'onlyWebhook'>,
): Promise<TriedEvent[]> {
  const rows = await findNewestEvents(sql, organizationId, { ...of, ...LIMITS })
  const refusals = await explainRefusals(sql, filter, rows)
  return rows.map((event) => {
    const refusedBy = refusals.get(event) ?? null
    return { uuid: event.id, matches: refusedBy === null, refusedBy }
  })
}
