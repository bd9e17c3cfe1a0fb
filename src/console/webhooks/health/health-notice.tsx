import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Time } from '../../components/time.tsx'
import { whyFailed } from '../../deliveries/why-failed.ts'
import { formatCount, formatDuration } from '../../format.ts'
import type { WebhookDetailQuery } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { ResumeWebhook } from '../actions/resume-webhook.tsx'
import { formatParked } from './format-parked.ts'

interface HealthNoticeProps {
  readonly webhook: NonNullable<WebhookDetailQuery['webhook']>
  reload(): void
}

/** Says what is wrong with a webhook, and what to do. Empty for a healthy webhook. */
export function HealthNotice({ webhook, reload }: HealthNoticeProps) {
  const { can } = useSession()
  const [resuming, resume] = useDisclosure()
  const { health } = webhook
  if (!health) return null
  if (health.state === 'DISABLED') {
    return (
      <Notice color="gray" title="Disabled">
        Unfinished deliveries wait, and new events create no deliveries for this webhook. Once the
        webhook is enabled, you can recover the events it missed.
      </Notice>
    )
  }
  if (health.state === 'HEALTHY') return null
  const failures = (
    <>
      {formatCount(health.consecutiveFailures)}{' '}
      {health.consecutiveFailures === 1 ? 'attempt' : 'attempts'} in a row failed
      {health.failingSince && (
        <>
          , the first of them <Time at={health.failingSince} as="relative" />
        </>
      )}
      .{' '}
      {health.lastSuccessAt ? (
        <>
          The last success was <Time at={health.lastSuccessAt} as="relative" />.
        </>
      ) : (
        'No attempt has succeeded yet.'
      )}
    </>
  )
  const recover = can('deliveries:write') && (
    <Anchor component={Link} to={`/webhooks/${webhook.id}/recover`} size="sm">
      Recover deliveries
    </Anchor>
  )
  if (health.state === 'FAILING') {
    return (
      <Notice color="orange" title="Failing" action={recover}>
        {failures} Failed deliveries are retried by the retry schedule.
        <LastFailure attempt={webhook.lastFailure} />
      </Notice>
    )
  }
  return (
    <Notice
      color="red"
      title="On hold"
      action={
        can('deliveries:write') && (
          <Button size="xs" variant="default" onClick={resume.open}>
            Resume now
          </Button>
        )
      }
    >
      {failures}{' '}
      {health.onHoldSince && (
        <>
          On hold since <Time at={health.onHoldSince} /> ({formatParked(webhook.backlog?.count)}{' '}
          waiting)
          {health.lastError && `: ${health.lastError}`}.{' '}
        </>
      )}
      Probes test the endpoint every few minutes
      {health.nextProbeAt && (
        <>
          , next <Time at={health.nextProbeAt} as="relative" />
        </>
      )}
      ; the first success releases the backlog. Waiting uses no attempts.
      <LastFailure attempt={webhook.lastFailure} />
      <ResumeWebhook webhookId={webhook.id} opened={resuming} close={resume.close} done={reload} />
    </Notice>
  )
}

interface LastFailureProps {
  readonly attempt: NonNullable<WebhookDetailQuery['webhook']>['lastFailure']
}

/** What the endpoint answered last, with a link to the attempt. */
function LastFailure({ attempt }: LastFailureProps) {
  if (!attempt) return null
  const { id, status, startedAt, durationMs, delivery } = attempt
  return (
    <Text size="sm" component="div" mt={4}>
      Last failure <Time at={startedAt} as="relative" />: {status && `${status}. `}
      {whyFailed(attempt)?.sentence} After {formatDuration(durationMs)}.{' '}
      {delivery && (
        <Anchor
          component={Link}
          to={`/deliveries/${delivery.id}?attempt=${id}`}
          inherit
          underline="always"
        >
          Show attempt
        </Anchor>
      )}
    </Text>
  )
}

interface NoticeProps {
  readonly color: string
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Notice({ color, title, action, children }: NoticeProps) {
  return (
    <Alert
      color={color}
      variant="light"
      title={title}
      styles={{ title: { color: `var(--posthorn-on-${color})` } }}
    >
      <Stack gap="sm">
        <Text size="sm" component="div" maw={820}>
          {children}
        </Text>
        {action && <Group>{action}</Group>}
      </Stack>
    </Alert>
  )
}
