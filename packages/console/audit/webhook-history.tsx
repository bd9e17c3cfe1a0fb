import { Text } from '@mantine/core'
import { Fragment, useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import {
  WebhookHistoryDocument,
  type WebhookHistoryQuery,
  WebhookHoldsDocument,
} from '../generated/graphql.ts'
import { Actor, type Actors } from './actor.tsx'
import { actionLabel } from './audit-options.ts'
import { compareFields } from './compare-fields.ts'
import { EntryPanel } from './entry-panel.tsx'
import { useActors } from './use-actors.ts'

type Entry = NonNullable<WebhookHistoryQuery['auditLog']>['nodes'][number]

interface Row {
  readonly at: string
  readonly label: string
  /** Null for what Posthorn did by itself: a hold. */
  readonly entry: Entry | null
}

const PAGE = 25
const EPOCH = new Date(0).toISOString()

/** Who changed a webhook and when, with the holds between: from the audit log and the holds. */
export function WebhookHistory({ webhookId }: { webhookId: string }) {
  const cursors = useCursors(PAGE)
  const opened = usePanel('entry')
  const actors = useActors()
  const { data, ...read } = useRead(WebhookHistoryDocument, {
    id: webhookId,
    ...cursors.variables,
  })
  const entries = data?.auditLog?.nodes
  const info = data?.auditLog?.pageInfo
  // The holds of the time that the page covers: up to now on the first page, from the beginning on the last.
  const since = (info?.hasNextPage && entries?.at(-1)?.createdAt) || EPOCH
  const until = info?.hasPreviousPage ? entries?.[0]?.createdAt : null
  const { data: held } = useRead(
    WebhookHoldsDocument,
    { id: webhookId, since, until: until ?? null },
    { pause: entries === undefined },
  )
  const rows = entries && merged(entries, eventsOf(held?.webhook?.holds ?? [], since, until))
  return (
    <>
      <List
        label="History, newest first"
        columns={useMemo(() => columns(actors), [actors])}
        rows={rows}
        keyOf={({ at, label, entry }) => entry?.id ?? at + label}
        to={({ at, entry }) => (entry ? opened.to(entry.id) : attemptsBefore(webhookId, at))}
        {...read}
        pages={{ info, cursors }}
        empty={
          <EmptyState title="No history">
            Changes of this webhook appear here. The audit log is kept for a limited time.
          </EmptyState>
        }
      />
      <EntryPanel id={opened.id} actors={actors} onClose={opened.close} />
    </>
  )
}

interface Hold {
  readonly startedAt: string
  readonly endedAt: string | null
}

/** The beginnings and ends of holds in a time range. */
function eventsOf(holds: readonly Hold[], since: string, until: string | null | undefined): Row[] {
  const events = holds.flatMap(({ startedAt, endedAt }) => [
    { at: startedAt, label: 'Put on hold', entry: null },
    ...(endedAt === null ? [] : [{ at: endedAt, label: 'Hold ended', entry: null }]),
  ])
  return events.filter(({ at }) => at >= since && (until == null || at < until))
}

function merged(entries: readonly Entry[], holds: readonly Row[]): readonly Row[] {
  const edits = entries.map((entry) => ({
    at: entry.createdAt,
    label: actionLabel(entry.action),
    entry,
  }))
  return [...edits, ...holds].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))
}

const BEFORE_MS = 3_600_000

/** The attempts of the hour before a hold, or before its end. */
function attemptsBefore(webhookId: string, at: string): string {
  const since = new Date(Date.parse(at) - BEFORE_MS).toISOString()
  return `/attempts?${new URLSearchParams({ webhook: webhookId, since, until: at })}`
}

const columns = (actors: Actors): readonly Column<Row>[] => [
  { label: 'Time', width: 170, grow: false, cell: ({ at }) => <Time at={at} /> },
  { label: 'Event', width: '22%', cell: ({ label }) => label },
  { label: 'Changes', grow: true, cell: ({ entry }) => entry && <Changes entry={entry} /> },
  {
    label: 'By',
    width: '20%',
    cell: ({ entry }) => (entry ? <Actor {...entry} actors={actors} /> : 'Posthorn'),
  },
]

const MAX_SHOWN = 3

/** The first changed fields, before and after. The panel of the entry has all. */
function Changes({ entry: { action, before, after } }: { entry: Entry }) {
  if (action !== 'webhook.updated') return null
  const changes = compareFields(before, after)
  return (
    <Text inherit span>
      {changes.slice(0, MAX_SHOWN).map(({ field, before: then, after: now }, index) => (
        <Fragment key={field}>
          {index > 0 && ', '}
          {field}: {brief(then)} → {brief(now)}
        </Fragment>
      ))}
      {changes.length > MAX_SHOWN && `, and ${changes.length - MAX_SHOWN} more`}
    </Text>
  )
}

const MAX_LENGTH = 60

function brief(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ')
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}
