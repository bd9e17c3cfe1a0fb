import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Time } from '../components/time.tsx'
import { formatCount } from '../format.ts'
import type { WebhookRowFragment } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { ResumeWebhook } from './resume-webhook.tsx'

interface HealthNowProps {
  readonly webhook: WebhookRowFragment
  reload(): void
}

/** What is wrong with a webhook at the moment, and what can be done about it. Nothing, when all is well. */
export function HealthNow({ webhook, reload }: HealthNowProps) {
  const { can } = useSession()
  const [releasing, release] = useDisclosure()
  const { health } = webhook
  if (!health) return null
  if (health.state === 'DISABLED') {
    return (
      <Notice color="gray" title="It is paused">
        Nothing is delivered: pending deliveries wait, and events that are published now create none
        for it. They can be recovered once it is resumed.
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
        'None has succeeded yet.'
      )}
    </>
  )
  const recover = can('deliveries:write') && (
    <Anchor component={Link} to={`/webhooks/${webhook.id}/recover`} size="sm">
      Recover what was missed
    </Anchor>
  )
  if (health.state === 'FAILING') {
    return (
      <Notice color="orange" title="It is failing" action={recover}>
        {failures} Failed deliveries are tried again, as its retry schedule says.
      </Notice>
    )
  }
  return (
    <Notice
      color="red"
      title="Deliveries are held back"
      action={
        can('deliveries:write') && (
          <Button size="xs" variant="default" onClick={release.open}>
            Release now
          </Button>
        )
      }
    >
      {failures}{' '}
      {health.onHoldSince && (
        <>
          It was held <Time at={health.onHoldSince} as="relative" />:{' '}
        </>
      )}
      what it is owed waits, and uses up no attempts. One delivery at a time is sent to find out
      whether it works again
      {health.nextProbeAt && (
        <>
          , the next <Time at={health.nextProbeAt} as="relative" />
        </>
      )}
      ; the first success releases the others.
      <ResumeWebhook
        webhookId={webhook.id}
        opened={releasing}
        close={release.close}
        done={reload}
      />
    </Notice>
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
