import { Group, SegmentedControl, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Section } from '../components/page/section.tsx'
import {
  IncidentCountsDocument,
  IncidentListDocument,
  OverviewDisabledDocument,
} from '../generated/graphql.ts'
import { changedParams } from '../lib/changed-params.ts'
import { countOf } from '../lib/count-of.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { CLOSED_COLUMNS, openColumns } from './incident-columns.tsx'
import type { Row } from './incident-row.ts'

const PAGE = 10
const DAY_MS = 86_400_000
const TYPES = { additionalTypenames: ['Incident', 'Webhook'] }

/** The incidents of the organization: those that are open, snoozed, or over. Empty if there were none for a week. */
export function Incidents() {
  const [week] = useState(() => new Date(Date.now() - 7 * DAY_MS).toISOString())
  const [day] = useState(() => new Date(Date.now() - DAY_MS).toISOString())
  const { view, range, choose } = useView()
  const cursors = useCursors(PAGE, 'incidents-')
  const isFirst = view === 'open' && !cursors.moved
  const filter = {
    open: { states: ['OPEN' as const] },
    snoozed: { states: ['SNOOZED' as const] },
    over: { states: ['CLOSED' as const], since: range === 'week' ? week : day },
  }[view]
  const context = useMemo(() => TYPES, [])
  const counts = useRead(IncidentCountsDocument, { since: week }, { context })
  const list = useRead(IncidentListDocument, { filter, ...cursors.variables }, { context })
  const disabled = useRead(OverviewDisabledDocument, {}, { context, pause: !isFirst })

  function reload() {
    counts.reload()
    list.reload()
    if (isFirst) disabled.reload()
  }
  useHealthChanges(undefined, reload)

  const waiting = (disabled.data?.webhooks?.nodes ?? []).filter(({ backlog }) => backlog?.oldest)
  const { open, snoozed, over } = counts.data ?? {}
  const known = [open, snoozed, over].reduce((sum, each) => sum + (each?.totalCount ?? 0), 0)
  const isQuiet = counts.data !== undefined && known === 0 && waiting.length === 0
  if (!counts.data && !counts.error) return null
  if (isQuiet && view === 'open') return null

  const page = list.data?.incidents ?? undefined
  const rows = page && [
    ...page.nodes.map(
      (node): Row => ({ key: node.id, incident: node, webhook: node.webhook ?? null }),
    ),
    ...(isFirst ? waiting.map((webhook) => ({ key: webhook.id, incident: null, webhook })) : []),
  ]
  const label = (text: string, count: number | undefined) =>
    count ? `${text} ${countOf(count)}` : text
  return (
    <Section
      title="Incidents"
      actions={
        <Group gap="xs">
          {view === 'over' && (
            <SegmentedControl
              size="xs"
              aria-label="Time range of incidents"
              data={[
                { value: 'day', label: '24 hours' },
                { value: 'week', label: '7 days' },
              ]}
              value={range}
              onChange={(value) => choose('over', value)}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="State of incidents"
            data={[
              { value: 'open', label: label('Open', open?.totalCount) },
              { value: 'snoozed', label: label('Snoozed', snoozed?.totalCount) },
              { value: 'over', label: 'Over' },
            ]}
            value={view}
            onChange={(value) => choose(value)}
          />
        </Group>
      }
    >
      <List
        label="Incidents"
        columns={view === 'over' ? CLOSED_COLUMNS : openColumns(reload, view === 'snoozed')}
        rows={rows}
        keyOf={({ key }) => key}
        to={pageOf}
        error={list.error}
        stale={list.stale}
        reload={reload}
        pages={{ info: page?.pageInfo, cursors }}
        empty={
          <Text size="sm" c="dimmed">
            {EMPTY[view]}
          </Text>
        }
      />
    </Section>
  )
}

type View = 'open' | 'snoozed' | 'over'

const EMPTY: Record<View, string> = {
  open: 'No webhook is in trouble.',
  snoozed: 'No incident is snoozed.',
  over: 'No incident ended in this time.',
}

/** Leads to the webhook or, if it was deleted, to its attempts. */
function pageOf({ webhook, incident }: Row): string {
  if (!webhook) return `/attempts?webhook=${incident?.webhookId}`
  return `/webhooks/${webhook.id}${incident?.closedAt ? '?tab=history' : ''}`
}

/** Which incidents are shown, as query parameters. */
function useView() {
  const [params, setParams] = useSearchParams()
  const given = params.get('incidents')
  const view: View = given === 'snoozed' || given === 'over' ? given : 'open'
  return {
    view,
    range: params.get('incidents-of') === 'week' ? 'week' : 'day',
    choose: (next: string, range: string | null = null) =>
      setParams((current) =>
        changedParams(current, {
          incidents: next === 'open' ? null : next,
          'incidents-of': range === 'week' ? range : null,
          'incidents-after': null,
          'incidents-before': null,
        }),
      ),
  } as const
}
