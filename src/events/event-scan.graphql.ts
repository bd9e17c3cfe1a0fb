import { formatPrismaCursor, getRefFromModel, parsePrismaCursor } from '@pothos/plugin-prisma'
import { z } from 'zod'
import type { Prisma } from '../db/generated/prisma/client.ts'
import { cursorRule, MAX_PAGE_SIZE, PAGE_SIZE } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { requestedSize } from '../graphql/limits/field-complexity.ts'
import { selectionOfRows } from '../graphql/list-connection.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { findEventsByUuids } from './find-events-by-uuids.ts'
import { type EventScan, SCAN_SECONDS, scanEvents } from './scan-events.ts'

/** A scan costs as much as a query of this many fields. */
const SCAN_COMPLEXITY = 1_000

const EventScanConnection = builder.connectionObject(
  {
    type: getRefFromModel('Event', builder),
    name: 'EventScanConnection',
    description:
      'What a scan of the events found, and how far it got. `pageInfo.endCursor` is the last event that was read.',
    fields: (t) => ({
      scannedCount: t.int({
        description: 'The number of events that this scan read.',
        resolve: (connection) => scanOf(connection).scannedCount,
      }),
      scannedTo: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When the last event that was read was published: the scan covers all events from then on. Null if none was read.',
        resolve: (connection) => {
          const { lastUuid } = scanOf(connection)
          return lastUuid === null ? null : timestampOf(lastUuid)
        },
      }),
    }),
  },
  { name: 'EventScanEdge', description: 'An event that a scan found.' },
)

const scanOf = (connection: object) => (connection as { readonly scan: EventScan }).scan

const EventScanFilter = builder.inputType('EventScanFilter', {
  description: 'What a scan looks for, and which events it reads.',
  fields: (t) => ({
    contains: t.string({
      required: true,
      description:
        'The text to find: 1 to 200 characters of the data as it is sent, case-sensitive, such as `87012` or `"status":"paid"`.',
      validate: z.string().min(1).max(200),
    }),
    type: t.string({
      description: 'Reads only events of the event type with this name.',
    }),
    since: t.field({
      type: 'DateTime',
      description: 'Reads only events published at or after this time.',
    }),
    until: t.field({
      type: 'DateTime',
      description: 'Reads only events published before this time.',
    }),
  }),
})

organizationFields((t) => ({
  scanEvents: t.field({
    type: EventScanConnection,
    semanticNonNull: true,
    description: `Looks for a text in the data of events, newest first, where no search key has the value. A scan ends when it has found \`first\` events, or after about ${SCAN_SECONDS} s; while \`pageInfo.hasNextPage\` is true, \`after\` goes on. It only goes forward. An organization runs one scan at a time; another gets \`RATE_LIMITED\`.`,
    authScopes: { scope: 'events:read' },
    complexity: ({ first }) => ({
      field: SCAN_COMPLEXITY,
      multiplier: Math.min(requestedSize(first, PAGE_SIZE), MAX_PAGE_SIZE),
    }),
    args: {
      filter: t.arg({
        type: EventScanFilter,
        required: true,
        description: 'What the scan looks for.',
      }),
      first: t.arg.int({
        description: `The number of events to find: 1 to ${MAX_PAGE_SIZE}. Default: ${PAGE_SIZE}.`,
        validate: z.int().min(1).max(MAX_PAGE_SIZE).nullish(),
      }),
      after: t.arg.string({
        description: 'The `pageInfo.endCursor` of an earlier scan, to go on from there.',
        validate: cursorRule,
      }),
    },
    resolve: async (organization, { filter, first, after }, context, info) => {
      const organizationId = organizationOf(organization, context)
      const scan = await scanEvents(context.sql, organizationId, {
        ...filter,
        first: first ?? PAGE_SIZE,
        after: after == null ? null : String(parsePrismaCursor(after)),
      })
      const query = selectionOfRows<Prisma.EventFindManyArgs>(context, info)
      const events = await findEventsByUuids(context.prisma, organizationId, scan.uuids, query)
      const edges = events.map((node) => ({ node, cursor: cursorOf(node.id) }))
      const pageInfo = {
        hasNextPage: !scan.isComplete,
        hasPreviousPage: false,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: scan.lastUuid && cursorOf(scan.lastUuid),
      }
      return { edges, pageInfo, scan }
    },
  }),
}))

const cursorOf = (id: string) => formatPrismaCursor({ id }, ['id'])
