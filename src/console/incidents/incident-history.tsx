import { Stack, Text } from '@mantine/core'
import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { WEBHOOK_STATES, WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { WebhookIncidentsDocument, type WebhookIncidentsQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatDateTime } from '../lib/format.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { durationOf } from './incident-row.ts'
import { shortName } from './incident-texts.tsx'

type Incident = NonNullable<
  NonNullable<WebhookIncidentsQuery['webhook']>['incidents']
>['nodes'][number]
type Entry = Incident['history'][number]

/** The last incidents of a webhook; each unfolds what happened. Empty if there were none. */
export function IncidentHistory({ webhookId }: { webhookId: string }) {
  const { data, error, reload } = useRead(WebhookIncidentsDocument, { id: webhookId })
  useHealthChanges(webhookId, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const incidents = data?.webhook?.incidents?.nodes ?? []
  if (incidents.length === 0) return null
  return (
    <Section title={t('Incidents')}>
      <div className="ph-rows">
        {incidents.map((incident) => (
          <Unfolding key={incident.id} incident={incident} />
        ))}
      </div>
    </Section>
  )
}

function Unfolding({ incident }: { incident: Incident }) {
  const { webhookState, cause, openedAt, closedAt, failedAttempts, history } = incident
  return (
    <Text component="details" size="sm" py="xs" open={closedAt == null}>
      <summary style={{ cursor: 'pointer' }}>
        <WebhookStateBadge state={webhookState} />
        {cause != null && ` · ${cause}`} · <Time at={openedAt} />,{' '}
        {closedAt
          ? t('lasted {time}', { time: durationOf(incident) })
          : t('for {time}', { time: durationOf(incident) })}{' '}
        ·{' '}
        {t('{count, plural, one {# failed attempt} other {# failed attempts}}', {
          count: failedAttempts,
        })}
      </summary>
      <Stack component="ol" gap={4} mt="xs" mb={4} ps="lg" style={{ listStyle: 'none' }}>
        {history.map((entry) => (
          <li key={entry.createdAt + entry.action}>
            <Text span inherit c="dimmed">
              <Time at={entry.createdAt} />
            </Text>{' '}
            {sentenceOf(entry)}
            {entry.actor != null && `, ${t('by {name}', { name: shortName(entry.actor) })}`}
          </li>
        ))}
      </Stack>
    </Text>
  )
}

function sentenceOf({ action, webhookState, cause, snoozedUntil, assignee }: Entry): string {
  const state = WEBHOOK_STATES.find(({ value }) => value === webhookState)?.label ?? ''
  const why = cause == null ? '' : ` (${cause})`
  switch (action) {
    case 'OPENED':
      return t('Opened: {state}', { state: `${state}${why}` })
    case 'STATE_CHANGED':
      return `${state}${why}`
    case 'CLOSED':
      return t('Over')
    case 'ACKNOWLEDGED':
      return t('Acknowledged')
    case 'UNACKNOWLEDGED':
      return t('Acknowledgment withdrawn')
    case 'SNOOZED':
      return t('Snoozed until {time}', { time: snoozedUntil ? formatDateTime(snoozedUntil) : '' })
    case 'SNOOZE_ENDED':
      return t('Snooze ended')
    case 'ASSIGNED':
      return t('Assigned to {name}', { name: assignee ?? '' })
    case 'UNASSIGNED':
      return t('Assigned to nobody')
  }
}
