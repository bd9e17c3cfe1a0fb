import { Anchor, Group } from '@mantine/core'
import { Link } from 'react-router'
import { type Column, List } from '../components/lists/list.tsx'
import { Section } from '../components/page/section.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import type { OverviewQuery } from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { causeOf } from '../webhooks/health/cause.ts'
import { Remedy } from '../webhooks/health/remedy.tsx'
import { webhookName } from '../webhooks/webhook-name.ts'
import { Acknowledge, Acknowledgment } from './acknowledge.tsx'

type Incident = NonNullable<OverviewQuery['incidents']>['nodes'][number]

const nameOf = ({ webhook }: Incident) => (webhook ? webhookName(webhook) : 'Deleted webhook')

const COLUMNS: readonly Column<Incident>[] = [
  { label: 'Webhook', grow: true, width: '24%', cell: nameOf },
  { label: 'State', cell: ({ webhookState }) => <WebhookStateBadge state={webhookState} /> },
  {
    label: 'Cause',
    grow: true,
    width: '36%',
    cell: ({ webhook, webhookState, openedAt }) => {
      const cause = webhook && causeOf(webhook)
      if (!cause || webhookState === 'BEHIND') return cause
      const failed = { webhook: webhook.id, status: 'FAILED', since: openedAt }
      return (
        <Anchor component={Link} to={`/deliveries?${new URLSearchParams(failed)}`} inherit>
          {cause}
        </Anchor>
      )
    },
  },
  { label: 'For', priority: 3, cell: ({ openedAt }) => <Time at={openedAt} as="elapsed" /> },
  {
    label: 'Waiting',
    end: true,
    priority: 3,
    cell: ({ webhook }) => webhook?.backlog && countOf(webhook.backlog.count),
  },
  {
    label: 'Acknowledged',
    priority: 3,
    cell: (incident) => <Acknowledgment incident={incident} />,
  },
  {
    label: '',
    end: true,
    priority: 2,
    cell: (incident) => (
      <Group gap={6} wrap="nowrap" justify="end">
        <Acknowledge incident={incident} name={nameOf(incident)} />
        {incident.webhook && <Remedy webhook={incident.webhook} />}
      </Group>
    ),
  },
]

/** The webhooks in trouble, the worst first, each with its remedy. Empty if there are none. */
export function Incidents({ rows, reload }: { rows: readonly Incident[]; reload(): void }) {
  if (rows.length === 0) return null
  return (
    <Section title="Incidents">
      <List
        label="Incidents"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={({ webhook }) => (webhook ? `/webhooks/${webhook.id}` : '/webhooks')}
        reload={reload}
        empty={null}
      />
    </Section>
  )
}
