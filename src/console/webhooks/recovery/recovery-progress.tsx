import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { formatCount } from '../../format.ts'
import { RecoveryCancelDocument, RecoveryProgressDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { RecoveryStateBadge } from './recovery-state-badge.tsx'

const POLL_EVERY_MS = 1_000

export function RecoveryProgress({ id }: { id: string }) {
  const { can } = useSession()
  const { data, error, reload } = useRead(RecoveryProgressDocument, { id })
  const { run } = useAction(RecoveryCancelDocument)
  const [canceling, cancel] = useDisclosure()
  const recovery = data?.recovery
  const runs = !recovery || recovery.state === 'RUNNING'
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(reload, POLL_EVERY_MS)
    return () => clearInterval(timer)
  }, [runs, reload])

  if (error && !recovery) return <QueryError error={error} retry={reload} />
  if (data && !recovery) {
    return (
      <Alert color="gray" variant="light">
        {t('webhooks:recoveryProgress.thisRecoveryDoesNot')}
      </Alert>
    )
  }
  const done = recovery ? recovery.redelivered + recovery.created : 0
  return (
    <Section
      title={t('webhooks:recoveryProgress.recovery')}
      actions={
        <Group gap="sm" mih={30}>
          {recovery && <RecoveryStateBadge state={recovery.state} />}
          {recovery && runs && can('deliveries:write') && (
            <Button size="xs" variant="default" onClick={cancel.open}>
              {t('webhooks:recoveryProgress.cancel')}
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="xs">
        <Progress
          size="lg"
          value={100 * (recovery?.progress ?? 0)}
          animated={runs}
          color={recovery?.state === 'FAILED' ? 'red' : undefined}
          aria-label={t('webhooks:recoveryProgress.progressOfTheRecovery')}
        />
        <Text size="sm" role="status" mih={22}>
          {recovery &&
            `Queued ${formatCount(done)} of ${formatCount(recovery.total)}${recovery.totalIsExact ? '' : ' or more'} deliveries (${formatCount(recovery.redelivered)} retried, ${formatCount(recovery.created)} new).`}
        </Text>
        {recovery?.failure && (
          <Alert color="red" variant="light" role="alert">
            {recovery.failure}
          </Alert>
        )}
      </Stack>
      <Confirm
        opened={canceling}
        onClose={cancel.close}
        title={t('webhooks:recoveryProgress.cancelThisRecovery')}
        action={t('webhooks:recoveryProgress.cancelRecovery')}
        onConfirm={async () => {
          const outcome = await run({ id })
          return outcome.ok ? null : outcome.message
        }}
      >
        {t('webhooks:recoveryProgress.deliveriesThatAreAlready')}
      </Confirm>
    </Section>
  )
}
