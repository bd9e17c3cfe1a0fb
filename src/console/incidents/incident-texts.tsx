import { Anchor, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { Link } from 'react-router'
import { Time } from '../components/time.tsx'
import type { IncidentFragment, WebhookTroubleFragment } from '../generated/graphql.ts'
import { rich, t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { BEHIND_CAUSES } from '../webhooks/health/behind-causes.ts'
import { causeOf } from '../webhooks/health/last-failure.tsx'
import { Trend } from './trend.tsx'

interface CauseProps {
  readonly incident: IncidentFragment
  readonly webhook?: WebhookTroubleFragment | null | undefined
}

/** Why the webhook is in trouble. A failure leads to the attempts of this incident that failed like it. */
export function Cause({ incident, webhook }: CauseProps) {
  const { behindCause, openedAt, closedAt, webhookId } = incident
  if (behindCause) return BEHIND_CAUSES[behindCause].label
  const failure = closedAt ? null : webhook?.lastFailure
  const cause = failure ? (failure.errorCode ?? String(failure.status)) : incident.cause
  if (cause == null) return null
  const filter = {
    webhook: webhookId,
    cause,
    since: openedAt,
    ...(closedAt && { until: closedAt }),
  }
  return (
    <Anchor component={Link} to={`/attempts?${new URLSearchParams(filter)}`} inherit>
      {failure ? causeOf(failure) : cause}
    </Anchor>
  )
}

/** The failed attempts of an incident and those of the last hours. */
export function Failures({ incident }: { incident: IncidentFragment }) {
  return (
    <Group gap={8} wrap="nowrap" justify="end">
      {incident.closedAt == null && <Trend counts={incident.failedAttemptsByHour} />}
      <span>{formatCount(incident.failedAttempts)}</span>
    </Group>
  )
}

/** Who takes care of an incident. */
export function Assignee({ incident }: { incident: IncidentFragment }) {
  const { assignee, acknowledgedAt, acknowledgedBy } = incident
  if (acknowledgedAt == null)
    return (
      assignee ?? (
        <Text inherit span c="dimmed">
          {t('Nobody')}
        </Text>
      )
    )
  return (
    <Group gap={4} wrap="nowrap">
      <IconCheck size={14} aria-hidden style={{ flex: 'none' }} />
      <span title={t('Acknowledged by {name}', { name: shortName(acknowledgedBy) })}>
        {assignee ?? t('Acknowledged')}
      </span>
    </Group>
  )
}

/** `Ada Lovelace <ada@example.com>` -> `Ada Lovelace` */
export const shortName = (person: string | null | undefined) =>
  person?.replace(/ <[^<>]+>$/, '') ?? ''

/** What people did about the incident of a webhook: "Acknowledged by Ada 5 min ago. Assigned to Grace." */
export function Care({ incident }: { incident: IncidentFragment }) {
  const { acknowledgedAt, acknowledgedBy, assignee, snoozedUntil } = incident
  return (
    <div>
      {acknowledgedAt && (
        <>
          {rich('Acknowledged by {name} {time}.', {
            name: shortName(acknowledgedBy),
            time: <Time at={acknowledgedAt} as="relative" />,
          })}{' '}
        </>
      )}
      {assignee != null && `${t('Assigned to {name}.', { name: assignee })} `}
      {snoozedUntil && <>{rich('Snoozed until {time}.', { time: <Time at={snoozedUntil} /> })}</>}
    </div>
  )
}
