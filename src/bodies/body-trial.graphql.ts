import type { Sql } from '../db/client.ts'
import { mintUuid } from '../db/ids.ts'
import { atLeastKey } from '../db/selection.ts'
import { expandSubscriptions, readNames } from '../event-types/find-event-types.ts'
import { findEventsByIds } from '../events/find-events.ts'
import { findNewestEvents } from '../events/find-newest-events.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { LARGE_TEXT } from '../graphql/limits/document-limits.ts'
import { lookUp } from '../graphql/look-up.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import type { FieldIssue } from '../lib/errors.ts'
import { type ChosenBody, chooseBody, parseBody, writeBody } from './body.ts'
import type { SelectionPlan } from './event-graph/plan-selection.ts'
import type { BodyEvent } from './event-graph/select-event.ts'

/** The events that a trial reads, and the bytes of their data and previous data. */
const MAX_TRIED = 10
const MAX_BYTES = 1024 * 1024

/** A trial writes its bodies whether they are selected or not. */
const COMPLEXITY = MAX_TRIED * LARGE_TEXT

/** The body that a delivery of an event would have. */
interface TriedBody {
  readonly organizationId: string
  /** A uuid. Null: the example of the event type. */
  readonly eventUuid: string | null
  readonly eventType: string
  /** Null: the selection or template makes too much of the event. */
  readonly body: string | null
}

interface BodyTrial {
  readonly issues: FieldIssue[]
  readonly warnings: string[]
  readonly bodies: TriedBody[]
}

const TriedBodyRef = builder.objectRef<TriedBody>('TriedBody').implement({
  description: 'The body that a delivery of an event would have.',
  fields: (t) => ({
    event: t.prismaField({
      type: 'Event',
      nullable: true,
      description: 'The event. Null for the example of the event type, and once it is deleted.',
      authScopes: { scope: 'events:read' },
      resolve: (query, { eventUuid, organizationId }, _args, context, info) =>
        eventUuid === null
          ? null
          : lookUp(findEventsByIds, atLeastKey(query), context, info, organizationId)(eventUuid),
    }),
    eventType: t.exposeString('eventType', { description: 'The name of the event type.' }),
    body: t.exposeString('body', {
      nullable: true,
      description:
        'The body. Null if the selection or template makes more than 256 KiB of the data, takes more than 200,000 steps, or has a filter that cannot work with the data: then attempts fail, and send nothing.',
    }),
  }),
})

const BodyTrialRef = builder.objectRef<BodyTrial>('BodyTrial').implement({
  description: 'The bodies that a selection or template makes of the newest events.',
  fields: (t) => ({
    issues: t.expose('issues', {
      type: ['ValidationIssue'],
      description: 'What is wrong with the selection or template, so that none is tried.',
    }),
    warnings: t.exposeStringList('warnings', {
      description:
        'What the body will lack, such as an event type of which the selection chooses nothing: one sentence each. At most 20.',
    }),
    bodies: t.expose('bodies', {
      type: [TriedBodyRef],
      description: 'The bodies, of the newest event first.',
    }),
  }),
})

const MAX_WARNINGS = 20

organizationFields((t) => ({
  testBody: t.field({
    type: BodyTrialRef,
    semanticNonNull: true,
    description: `Tries a selection or template on the newest events of the event types, before a webhook has it: on at most ${MAX_TRIED}, and on fewer if their data have more than 1 MiB; on the examples of the types if there are no events. Without either, the bodies are the whole events. A session of one webhook tries events with a delivery to the webhook. Changes nothing.`,
    authScopes: { scope: 'events:read' },
    complexity: COMPLEXITY,
    portal: 'open',
    args: {
      eventSubscriptions: t.arg.stringList({
        required: true,
        description: 'The names of event types, and patterns, as of a webhook.',
      }),
      selection: t.arg.string({ description: 'The selection, as of a webhook.' }),
      template: t.arg.string({ description: 'The template, as of a webhook.' }),
    },
    resolve: async (parent, { eventSubscriptions, ...choice }, context) => {
      const types = expandSubscriptions(eventSubscriptions, await readNames(context.prisma))
      const { body, issues } = await chooseBody(context.prisma, choice)
      if (body === null) return { issues, warnings: [], bodies: [] }
      const bodies = await tryBody(organizationOf(parent, context), body, types, context)
      return { issues, warnings: typesWithoutData(body, types), bodies }
    },
  }),
}))

/** Writes the bodies of the newest events of the types. If there are none, those of the examples of the types. */
async function tryBody(
  organizationId: string,
  chosen: ChosenBody,
  types: readonly string[],
  context: Context,
): Promise<TriedBody[]> {
  const { sql, publicUrl } = context
  const onlyWebhook = context.caller.session?.webhookId ?? null
  const newest = await findNewestEvents(sql, organizationId, {
    types,
    onlyWebhook,
    max: MAX_TRIED,
    maxBytes: MAX_BYTES,
  })
  const events = newest.length > 0 ? newest : await findExamples(sql, types)
  const delivery = { id: mintUuid(), webhookId: onlyWebhook ?? mintUuid(), publicUrl }
  const parsed = parseBody(chosen)
  return await Promise.all(
    events.map(async (event) => ({
      organizationId,
      eventUuid: newest.length > 0 ? event.id : null,
      eventType: event.type,
      body: await writeBody(organizationId, parsed, event, delivery),
    })),
  )
}

async function findExamples(sql: Sql, types: readonly string[]): Promise<BodyEvent[]> {
  const { rows } = await sql.query<{ type: string; data: string }>({
    name: 'find_examples',
    text: `
      select name as type, example::text as data from posthorn.event_types
      where name = any ($1::text[]) and archived_at is null and example is not null
      order by name collate "C" limit ${MAX_TRIED}`,
    values: [types],
  })
  const occurredAt = new Date()
  return rows.map((row) => ({ ...row, id: mintUuid(), occurredAt, previous: null }))
}

/** Says which event types a selection chooses nothing of. */
function typesWithoutData({ plan }: ChosenBody, types: readonly string[]): string[] {
  if (plan === null) return []
  const { cases, other }: SelectionPlan = JSON.parse(plan)
  const selected = new Set(cases.map(({ eventType }) => eventType))
  return types
    .filter((type) => !selected.has(type) && other.fields.length === 0)
    .slice(0, MAX_WARNINGS)
    .map((type) => `The selection chooses nothing of ${type}: \`data\` is {} in its deliveries.`)
}
