import { SegmentedControl, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { Section } from '../components/page/section.tsx'
import {
  IncidentListDocument,
  type IncidentState,
  OverviewDisabledDocument,
} from '../generated/graphql.ts'
import { changedParams } from '../lib/changed-params.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { openColumns, RESOLVED_COLUMNS } from './incident-columns.tsx'
import type { Row } from './incident-row.ts'

const PAGE = 10
const TYPES = { additionalTypenames: ['Incident', 'Webhook'] }

type View = 'open' | 'resolved'

const STATES: Record<View, IncidentState[]> = {
  open: ['OPEN', 'ACKNOWLEDGED'],
  resolved: ['RESOLVED'],
}

const EMPTY: Record<View, string> = {
  open: 'No webhook is in trouble.',
  resolved: 'No incident is resolved.',
}

/** The incidents of the organization. Empty if there are none. */
export function Incidents() {
  const [params, setParams] = useSearchParams()
  const view: View = params.get('incidents') === 'resolved' ? 'resolved' : 'open'
  const cursors = useCursors(PAGE)
  const isFirst = view === 'open' && !cursors.moved
  const context = useMemo(() => TYPES, [])
  const filter = { states: STATES[view] }
  const list = useRead(IncidentListDocument, { filter, ...cursors.variables }, { context })
  const disabled = useRead(OverviewDisabledDocument, {}, { context, pause: !isFirst })

  function reload() {
    list.reload()
    if (isFirst) disabled.reload()
  }
  useHealthChanges(undefined, reload)

  const waiting = (disabled.data?.webhooks?.nodes ?? []).filter(({ backlog }) => backlog?.oldest)
  if (!list.data && !list.error) return null
  if (list.data?.any?.nodes.length === 0 && waiting.length === 0) return null

  const page = list.data?.incidents ?? undefined
  const rows = page && [
    ...page.nodes.map(
      (node): Row => ({ key: node.id, incident: node, webhook: node.webhook ?? null }),
    ),
    ...(isFirst ? waiting.map((webhook) => ({ key: webhook.id, incident: null, webhook })) : []),
  ]
  const choose = (next: string) =>
    setParams((current) =>
      changedParams(current, {
        incidents: next === 'open' ? null : next,
        after: null,
        before: null,
      }),
    )
  return (
    <Section
      title="Incidents"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="State of incidents"
          data={[
            { value: 'open', label: 'Open' },
            { value: 'resolved', label: 'Resolved' },
          ]}
          value={view}
          onChange={choose}
        />
      }
    >
      <List
        label="Incidents"
        columns={view === 'resolved' ? RESOLVED_COLUMNS : openColumns(reload)}
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

/** Leads to the webhook or, if it was deleted, to its attempts. */
function pageOf({ webhook, incident }: Row): string {
  if (!webhook) return `/attempts?webhook=${incident?.webhookId}`
  return `/webhooks/${webhook.id}${incident?.resolvedAt ? '?tab=history' : ''}`
}
