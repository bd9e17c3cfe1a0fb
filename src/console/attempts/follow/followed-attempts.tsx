import { Button, CloseButton, Group, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { LiveBadge } from '../../components/live-badge.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import {
  type AttemptFilter,
  type AttemptRowFragment,
  AttemptsWebhooksDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { TailStatus } from './tail-status.tsx'
import { TailTable } from './tail-table.tsx'
import { useTail } from './use-tail.ts'

interface FollowedAttemptsProps {
  readonly filter: AttemptFilter
  /** The rows of the list. Undefined while loading. */
  readonly earlier: readonly AttemptRowFragment[] | undefined
  /** Reads the rows of the list again. */
  reload(): void
}

/** The list of attempts in real time, below which the attempts of the list stay. */
export function FollowedAttempts({ filter, earlier, reload }: FollowedAttemptsProps) {
  const [paused, setPaused] = useState(false)
  const [interacting, setInteracting] = useState(false)
  const frozen = paused || interacting
  const tail = useTail({ filter, earlier, frozen })
  const webhooks = useWebhooks()
  const fillGap = useEffectEvent(reload)
  // Attempts of the time without a stream.
  useEffect(() => {
    if (tail.state === 'live') fillGap()
  }, [tail.state])

  return (
    <>
      <Group justify="space-between" gap="xs" mih={30}>
        <Group gap="md">
          <LiveBadge state={tail.state} />
          <TailStatus rate={tail.rate} paused={paused} frozen={frozen} waiting={tail.waiting} />
        </Group>
        <Button
          size="xs"
          variant={paused ? 'filled' : 'default'}
          leftSection={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
          onClick={() => setPaused(!paused)}
          miw={96}
        >
          {paused ? t('Resume') : t('Pause')}
        </Button>
      </Group>
      {tail.missed && <Missed close={tail.dismissMissed} />}
      <div className="ph-tail-frame">
        {tail.rows.length === 0 ? (
          <EmptyState title={t('Waiting for traffic…')}>
            {t('An attempt that matches the filters appears here as soon as it has ended.')}
          </EmptyState>
        ) : (
          <TailTable rows={tail.rows} webhooks={webhooks} setInteracting={setInteracting} />
        )}
      </div>
    </>
  )
}

/** The names of webhooks, which a stream of a thousand attempts a second leaves out. */
function useWebhooks() {
  const pause = !useSession().can('webhooks:read')
  const { data } = useRead(AttemptsWebhooksDocument, {}, { pause })
  const nodes = data?.webhooks?.nodes
  return useMemo(() => new Map(nodes?.map((webhook) => [webhook.id, webhook])), [nodes])
}

function Missed({ close }: { close(): void }) {
  return (
    <Group gap={4} wrap="nowrap" role="status" c="var(--posthorn-on-yellow)">
      <Text size="sm">
        {t(
          'Some attempts are missing, because this page was interrupted, in the background, or too slow. Stop following to list all attempts.',
        )}
      </Text>
      <CloseButton size="sm" c="inherit" aria-label={t('Close')} onClick={close} />
    </Group>
  )
}
