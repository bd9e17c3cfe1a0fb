import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import {
  RecoveryCancelDocument,
  RecoveryProgressDocument,
  type RecoveryRowFragment,
} from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import { Outcome } from '../../tasks/outcome.tsx'
import { partsOfRecovery } from '../../tasks/task-parts.ts'
import { FAILURES_HREF, RecoveryFailures } from './recovery-failures.tsx'
import { RecoveryStateBadge } from './recovery-state-badge.tsx'

/** Follows a recovery until the last of its deliveries has finished. */
export function RecoveryProgress({ id, webhookId }: { id: string; webhookId: string }) {
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

  if (error && !recovery) return <QueryError error={error} reload={reload} />
  if (data && !recovery) {
    return (
      <Alert color="gray" variant="light">
        This recovery does not exist.
      </Alert>
    )
  }
  const done = recovery ? recovery.redelivered + recovery.created : 0
  return (
    <Section
      title="Recovery"
      actions={
        <Group gap="sm" mih={30}>
          {recovery && <RecoveryStateBadge recovery={recovery} />}
          {recovery?.state === 'RUNNING' && can('deliveries:write') && (
            <Button size="xs" variant="default" onClick={cancel.open}>
              Cancel
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="xs">
        <Outcome
          parts={recovery ? partsOfRecovery(recovery, FAILURES_HREF) : []}
          label="Progress of the recovery"
        />
        <Text size="sm" role="status" mih={22}>
          {recovery &&
            (recovery.totalIsExact
              ? `Queued ${formatCount(done)} of ${formatCount(recovery.total)} deliveries (${formatCount(recovery.redelivered)} retried, ${formatCount(recovery.created)} new).`
              : `Queued ${formatCount(done)} of ${formatCount(recovery.total)} or more deliveries (${formatCount(recovery.redelivered)} retried, ${formatCount(recovery.created)} new).`)}{' '}
          {recovery && done > 0 && (
            <Anchor
              component={Link}
              to={attemptsSince(webhookId, recovery.createdAt)}
              inherit
              underline="always"
            >
              Show the attempts since then
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
        title="Cancel this recovery?"
        action="Cancel recovery"
        onConfirm={async () => {
          const outcome = await run({ id })
          return outcome.ok ? null : outcome.message
        }}
      >
        Deliveries that are already queued stay queued. You can recover the rest later.
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
