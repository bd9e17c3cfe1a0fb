import { Stack, Text } from '@mantine/core'
import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { causeLabel } from '../deliveries/list/cause-labels.ts'
import { WebhookIncidentsDocument } from '../generated/graphql.ts'
import { formatElapsed } from '../lib/format.ts'
import { Acknowledgment } from './acknowledge.tsx'

/** The last incidents of a webhook. Empty if there were none. */
export function IncidentHistory({ webhookId }: { webhookId: string }) {
  const { data, error, reload } = useRead(WebhookIncidentsDocument, { id: webhookId })
  if (error && !data) return <QueryError error={error} reload={reload} />
  const incidents = data?.incidents?.nodes ?? []
  if (incidents.length === 0) return null
  return (
    <Section title="Incidents">
      <Stack gap="xs">
        {incidents.map((incident) => {
          const { id, webhookState, cause, openedAt, resolvedAt } = incident
          return (
            <Text key={id} size="sm">
              <WebhookStateBadge state={webhookState} />
              {cause && ` · ${causeLabel(cause)}`} · <Time at={openedAt} />,{' '}
              {resolvedAt ? (
                `lasted ${formatElapsed(openedAt, Date.parse(resolvedAt))}`
              ) : (
                <>
                  for <Time at={openedAt} as="elapsed" />
                </>
              )}{' '}
              <Acknowledgment incident={incident} />
            </Text>
          )
        })}
      </Stack>
    </Section>
  )
}
