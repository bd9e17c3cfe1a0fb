import { Group, Text } from '@mantine/core'
import type { LiveState } from '../api/use-live.ts'
import { t } from '../strings/t.ts'

const WORDS: Record<LiveState, readonly [label: string, color: string]> = {
  connecting: [t('live:badge.connecting'), 'gray'],
  live: [t('live:badge.live'), 'green'],
  interrupted: [t('live:badge.interrupted'), 'orange'],
}

/** Shows whether the page receives live updates. */
export function LiveBadge({ state }: { state: LiveState }) {
  const [label, color] = WORDS[state]
  return (
    <Group gap={6} wrap="nowrap" role="status" c={`var(--posthorn-on-${color})`}>
      <span className="ph-live-dot" data-live={state === 'live' || undefined} />
      <Text size="xs" fw={600}>
        {label}
      </Text>
    </Group>
  )
}
