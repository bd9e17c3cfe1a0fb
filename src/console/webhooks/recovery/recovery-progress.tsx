import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { formatCount } from '../../format.ts'
import {
  RecoveryCancelDocument,
  RecoveryProgressDocument,
  type RecoveryRowFragment,
} from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { Outcome } from '../../tasks/outcome.tsx'
import { partsOfRecovery } from '../../tasks/task-parts.ts'
import { FAILURES_HREF, RecoveryFailures } from './recovery-failures.tsx'
import { RecoveryStateBadge } from './recovery-state-badge.tsx'

interface RecoveryProgressProps {
  readonly id: string
  readonly webhookId: string
}

/** Follows a recovery until the last of its deliveries has finished. */
export function RecoveryProgress({ id, webhookId }: RecoveryProgressProps) {
  const { can } = useSession()
  const { data, error, reload } = useRead(RecoveryProgressDocument, { id })
  const { run } = useAction(RecoveryCancelDocument)
  const [canceling, cancel] = useDisclosure()
  const recovery = data?.recovery
  const everyMs = recovery ? pollEveryMs(recovery) : null
  useEffect(() => {
    if (everyMs === null) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, reload])

  if (error && !recovery) return <QueryError error={error} retry={reload} />
  if (data && !recovery) {
    return (
      <Alert color="gray" variant="light">
        {t('webhooks:recoveryProgress.notFound')}
      </Alert>
    )
  }
  const done = recovery ? recovery.redelivered + recovery.created : 0
  return (
    <Section
      title={t('webhooks:recoveryProgress.title')}
      actions={
        <Group gap="sm" mih={30}>
          {recovery && <RecoveryStateBadge recovery={recovery} />}
          {recovery?.state === 'RUNNING' && can('deliveries:write') && (
            <Button size="xs" variant="default" onClick={cancel.open}>
              {t('webhooks:recoveryProgress.cancel')}
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="xs">
        <Outcome
          parts={recovery ? partsOfRecovery(recovery, FAILURES_HREF) : []}
          label={t('webhooks:recoveryProgress.progressLabel')}
        />
        <Text size="sm" role="status" mih={22}>
          {recovery &&
            t(
              recovery.totalIsExact
                ? 'webhooks:recoveryProgress.queued'
                : 'webhooks:recoveryProgress.queuedMore',
              {
                done: formatCount(done),
                total: formatCount(recovery.total),
                redelivered: formatCount(recovery.redelivered),
                created: formatCount(recovery.created),
              },
            )}{' '}
          {recovery && done > 0 && (
            <Anchor
              component={Link}
              to={attemptsSince(webhookId, recovery.createdAt)}
              inherit
              underline="always"
            >
              {t('webhooks:recoveryProgress.showAttempts')}
            </Anchor>
          )}
        </Text>
        {recovery?.failure && (
          <Alert color="red" variant="light" role="alert">
            {recovery.failure}
          </Alert>
        )}
        {recovery && recovery.exhausted > 0 && <RecoveryFailures recovery={recovery} />}
      </Stack>
      <Confirm
        opened={canceling}
        onClose={cancel.close}
        title={t('webhooks:recoveryProgress.cancelTitle')}
        action={t('webhooks:recoveryProgress.confirmCancel')}
        onConfirm={async () => {
          const outcome = await run({ id })
          return outcome.ok ? null : outcome.message
        }}
      >
        {t('webhooks:recoveryProgress.cancelText')}
      </Confirm>
    </Section>
  )
}

/** Also what was queued before a recovery was canceled finishes later. */
function pollEveryMs({ state, unfinished }: RecoveryRowFragment): number | null {
  if (state === 'RUNNING') return 1_000
  return unfinished > 0 ? 2_000 : null
}

/** What came of a recovery: the attempts that the webhook has had since. */
function attemptsSince(webhook: string, since: string): string {
  return `/attempts?${new URLSearchParams({ webhook, since })}`
}
