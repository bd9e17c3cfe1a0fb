import { Text } from '@mantine/core'
import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { WebhookIncidentsDocument } from '../generated/graphql.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { durationOf } from './incident-row.ts'
import { Acknowledgment, causeText } from './incident-texts.tsx'

/** The last incidents of a webhook. Empty if there were none. */
export function IncidentHistory({ webhookId }: { webhookId: string }) {
  const { data, error, reload } = useRead(WebhookIncidentsDocument, { id: webhookId })
  useHealthChanges(webhookId, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const incidents = data?.incidents?.nodes ?? []
  if (incidents.length === 0) return null
  return (
    <Section title="Incidents">
      <div className="ph-rows">
        {incidents.map((incident) => {
          const cause = causeText(incident)
          const time = durationOf(incident)
          return (
            <Text key={incident.id} size="sm" py="xs">
              <WebhookStateBadge state={incident.webhookState} />
              {cause != null && ` · ${cause}`} · <Time at={incident.openedAt} />,{' '}
              {incident.resolvedAt ? `lasted ${time}` : `for ${time}`}
              {incident.acknowledgedAt != null && ' · '}
              <Acknowledgment incident={incident} />
            </Text>
          )
        })}
      </div>
    </Section>
  )
}
