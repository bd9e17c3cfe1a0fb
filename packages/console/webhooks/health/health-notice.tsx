import { Group } from '@mantine/core'
import { Notice } from '../../components/page/notice.tsx'
import type { IncidentFragment, WebhookTroubleFragment } from '../../generated/graphql.ts'
import { IncidentActs } from '../../incidents/incident-acts.tsx'
import { Acknowledgment } from '../../incidents/incident-texts.tsx'
import { t } from '../../language/t.ts'
import { webhookName } from '../webhook-name.ts'
import { BEHIND_CAUSES } from './behind-causes.ts'
import { TroubleActions } from './trouble-actions.tsx'
import { TroubleText } from './trouble-text.tsx'

interface HealthNoticeProps {
  readonly webhook: WebhookTroubleFragment
  readonly incident: IncidentFragment | null
  reload(): void
}

/** Says why a webhook is in trouble, and what to do. Empty for the others. */
export function HealthNotice({ webhook, incident, reload }: HealthNoticeProps) {
  const { health } = webhook
  if (!health || health.state === 'HEALTHY' || health.state === 'NO_DELIVERIES') return null
  const { color, title, hint } = TROUBLE[health.state]
  return (
    <Notice
      color={color}
      title={title}
      action={
        <Group gap={8}>
          <TroubleActions webhook={webhook} reload={reload} />
          {incident && (
            <IncidentActs incident={incident} name={webhookName(webhook)} reload={reload} />
          )}
        </Group>
      }
    >
      <TroubleText webhook={webhook} />
      {hintOf(health) ?? hint}
      {incident && (
        <div>
          <Acknowledgment incident={incident} />
        </div>
      )}
    </Notice>
  )
}

type Health = NonNullable<WebhookTroubleFragment['health']>

/** What is special about the reason. */
function hintOf({ state, onHoldReason, behindCause }: Health): string | undefined {
  if (state === 'BEHIND' && behindCause) return BEHIND_CAUSES[behindCause].hint
  if (state !== 'ON_HOLD' || onHoldReason !== 'RETRY_AFTER') return undefined
  return 'The endpoint asked to wait: it answered 429 or 503 with Retry-After. Deliveries wait until that time.'
}

const TROUBLE = {
  ON_HOLD: {
    color: 'red',
    title: t('On hold'),
    hint: t('Deliveries wait and use no attempts. The first successful probe ends the hold.'),
  },
  FAILING: {
    color: 'orange',
    title: t('Failing'),
    hint: t(
      'Posthorn retries failed deliveries by the retry schedule. Once an attempt succeeds, you can recover the deliveries that were exhausted.',
    ),
  },
  BEHIND: {
    color: 'violet',
    title: t('Behind'),
    hint: t('Posthorn sends the waiting deliveries as soon as it may.'),
  },
  DEGRADED: {
    color: 'yellow',
    title: t('Degraded'),
    hint: 'Posthorn retries failed deliveries by the retry schedule. The failed attempts show which events the receiver does not accept.',
  },
  DISABLED: {
    color: 'gray',
    title: t('Disabled'),
    hint: t(
      'Unfinished deliveries wait, and new events create no deliveries. Once the webhook is enabled, you can recover the events that the webhook missed.',
    ),
  },
} as const
