import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Time } from '../components/time.tsx'
import type { BehindCause, IncidentFragment, WebhookTroubleFragment } from '../generated/graphql.ts'
import { BEHIND_CAUSES } from '../webhooks/health/behind-causes.ts'
import { causeOf } from '../webhooks/health/last-failure.tsx'

interface CauseProps {
  readonly incident: IncidentFragment
  readonly webhook?: WebhookTroubleFragment | null | undefined
}

/** Why the webhook is in trouble. A failure leads to the attempts of this incident that failed like it. */
export function Cause({ incident, webhook }: CauseProps) {
  const { openedAt, resolvedAt, webhookId, webhookState } = incident
  if (webhookState === 'BEHIND') return causeText(incident)
  const failure = resolvedAt ? null : webhook?.lastFailure
  const cause = failure ? failure.cause : incident.cause
  if (cause == null) return null
  const filter = {
    webhook: webhookId,
    cause,
    since: openedAt,
    ...(resolvedAt && { until: resolvedAt }),
  }
  return (
    <Anchor component={Link} to={`/attempts?${new URLSearchParams(filter)}`} inherit>
      {failure ? causeOf(failure) : cause}
    </Anchor>
  )
}

/** `rate_limit` -> `At its rate limit` */
export const causeText = ({ cause, webhookState }: IncidentFragment) =>
  webhookState === 'BEHIND' && cause != null
    ? BEHIND_CAUSES[cause.toUpperCase() as BehindCause].label
    : cause

/** `Ada Lovelace <ada@example.com>` -> `Ada Lovelace` */
const shortName = (person: string | null | undefined) => person?.replace(/ <[^<>]+>$/, '') ?? ''

/** Who takes note of an incident: "Acknowledged by Ada 5 min ago." */
export function Acknowledgment({ incident }: { incident: IncidentFragment }) {
  const { acknowledgedAt, acknowledgedBy } = incident
  if (acknowledgedAt == null) return null
  return (
    <>
      Acknowledged by {shortName(acknowledgedBy)} <Time at={acknowledgedAt} as="relative" />.
    </>
  )
}
