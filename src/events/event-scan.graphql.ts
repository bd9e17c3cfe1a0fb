import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { z } from 'zod'
import { cursorRule, MAX_PAGE_SIZE, PAGE_SIZE, textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { requestedSize } from '../graphql/limits/field-complexity.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { findEventsByUuids } from './find-events-by-uuids.ts'
import { type EventScan, SCAN_SECONDS, scanEvents } from './scan-events.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    EventScan: EventScan
  }
}

/** A scan costs as much as a query of this many fields. */
const SCAN_COMPLEXITY = 1_000

builder.objectType('EventScan', {
  description: 'What a scan of the events found, and how far it got.',
  fields: (t) => ({
    events: t.prismaField({
      type: ['Event'],
      description: 'The events whose data contains the text, newest first.',
      authScopes: { scope: 'events:read' },
      complexity: { field: 1, multiplier: 1 },
      resolve: (query, { uuids }, _args, context) =>
        findEventsByUuids(context.prisma, callerOf(context).organizationId, uuids, query),
    }),
    scannedCount: t.exposeInt('scannedCount', {
      description: 'The number of events that this scan read.',
    }),
    scannedTo: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the last event that was read was published: the scan covers all events from then on. Null if none was read.',
      resolve: ({ lastUuid }) => (lastUuid === null ? null : timestampOf(lastUuid)),
    }),
    endCursor: t.string({
      nullable: true,
      description:
        'Pass it as `after` to go on from there. Null if the scan read all events that it was to read.',
      resolve: ({ lastUuid, isComplete }) =>
        lastUuid === null || isComplete ? null : formatPrismaCursor({ id: lastUuid }, ['id']),
    }),
  }),
})

builder.queryField('scanEvents', (t) =>
  t.field({
    type: 'EventScan',
    semanticNonNull: true,
    description: `Looks for a text in the data of events, newest first, where no search key has the value. A scan ends when it has found \`first\` events, or after about ${SCAN_SECONDS} s; then \`endCursor\` goes on. An organization runs one scan at a time; another gets \`RATE_LIMITED\`. Needs the scope \`events:read\`.`,
    authScopes: { scope: 'events:read' },
    complexity: ({ first }) => ({
      field: SCAN_COMPLEXITY,
      multiplier: Math.min(requestedSize(first, PAGE_SIZE), MAX_PAGE_SIZE),
    }),
    args: {
      contains: t.arg.string({
        required: true,
        description:
          'The text to find: 1 to 200 characters of the data as it is sent, case-sensitive, such as `87012` or `"status":"paid"`.',
        validate: textRule.pipe(z.string().min(1).max(200)),
      }),
      type: t.arg.string({
        description: 'Reads only events of the event type with this name.',
        validate: textRule,
      }),
      since: t.arg({
        type: 'DateTime',
        description: 'Reads only events published at or after this time.',
      }),
      until: t.arg({
        type: 'DateTime',
        description: 'Reads only events published before this time.',
      }),
      first: t.arg.int({
        description: `The number of events to find: 1 to ${MAX_PAGE_SIZE}. Default: ${PAGE_SIZE}.`,
        validate: z.int().min(1).max(MAX_PAGE_SIZE).nullish(),
      }),
      after: t.arg.string({
        description: 'The `endCursor` of an earlier scan, to go on from there.',
        validate: cursorRule,
      }),
    },
    resolve: (_root, { first, after, ...args }, context) =>
      scanEvents(context.sql, callerOf(context).organizationId, {
        ...args,
        first: first ?? PAGE_SIZE,
        after: after == null ? null : String(parsePrismaCursor(after)),
      }),
  }),
)
