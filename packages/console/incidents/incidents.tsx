import '../components/lists/list.css'
import { Anchor, Group } from '@mantine/core'
import { Link } from 'react-router'
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

/** The webhooks in trouble, the worst first, each with its remedy. Empty if there are none. */
export function Incidents({ rows }: { rows: readonly Incident[] }) {
  if (rows.length === 0) return null
  return (
    <Section title="Incidents">
      <div className="ph-list-frame">
        <table aria-label="Incidents" className="ph-list ph-table">
          <thead>
            <tr>
              <th className="ph-grow" style={{ width: '24%' }}>
                Webhook
              </th>
              <th>State</th>
              <th className="ph-grow ph-priority-1" style={{ width: '36%' }}>
                Cause
              </th>
              <th className="ph-priority-3">For</th>
              <th className="ph-priority-3 ph-end">Waiting</th>
              <th className="ph-priority-3">Acknowledged</th>
              <th className="ph-priority-2 ph-end">Actions</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((incident) => (
              <IncidentRow key={incident.id} incident={incident} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}

function IncidentRow({ incident }: { incident: Incident }) {
  const { webhook, webhookState, openedAt } = incident
  const name = webhook ? webhookName(webhook) : 'Deleted webhook'
  return (
    <tr>
      <td className="ph-grow" title={name}>
        <Link className="ph-row-link" to={webhook ? `/webhooks/${webhook.id}` : '/webhooks'}>
          {name}
        </Link>
      </td>
      <td>
        <WebhookStateBadge state={webhookState} />
      </td>
      <td className="ph-grow ph-priority-1">
        <Cause incident={incident} />
      </td>
      <td className="ph-priority-3">
        <Time at={openedAt} as="elapsed" />
      </td>
      <td className="ph-priority-3 ph-end">{webhook?.backlog && countOf(webhook.backlog.count)}</td>
      <td className="ph-priority-3">
        <Acknowledgment incident={incident} />
      </td>
      <td className="ph-priority-2 ph-end">
        <Group gap={6} wrap="nowrap" justify="end">
          <Acknowledge incident={incident} name={name} />
          {webhook && <Remedy webhook={webhook} />}
        </Group>
      </td>
    </tr>
  )
}

/** Why the webhook is in trouble, with the deliveries that failed since. */
function Cause({ incident: { webhook, webhookState, openedAt } }: { incident: Incident }) {
  const cause = webhook && causeOf(webhook)
  if (!cause || webhookState === 'BEHIND') return cause
  const failed = { webhook: webhook.id, status: 'FAILED', since: openedAt }
  return (
    <Anchor
      component={Link}
      to={`/deliveries?${new URLSearchParams(failed)}`}
      title={cause}
      inherit
    >
      {cause}
    </Anchor>
  )
}
