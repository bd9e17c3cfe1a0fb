import { Group, Text } from '@mantine/core'
import type { LiveState } from '../api/use-live.ts'
import { t } from '../language/t.ts'

const WORDS: Record<LiveState, readonly [label: string, color: string]> = {
  connecting: [t('Connecting …'), 'gray'],
  live: [t('Live'), 'green'],
  interrupted: [t('Interrupted, reconnecting'), 'orange'],
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
