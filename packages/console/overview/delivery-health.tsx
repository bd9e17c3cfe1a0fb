import { Group, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { Figures } from '../components/page/figures.tsx'
import { Section } from '../components/page/section.tsx'
import { Time, useNow } from '../components/time.tsx'
import { OverviewHealthDocument } from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { type DeliveryHealth, healthSentence, WAITING_REASONS } from './health-sentence.ts'

/** The health of the deliveries of the organization. Undefined while loading. */
export function useDeliveryHealth(): DeliveryHealth | undefined {
  const context = useMemo(() => ({ additionalTypenames: ['Webhook'] }), [])
  const { data, reload } = useRead(OverviewHealthDocument, {}, { context })
  useHealthChanges(undefined, reload)
  return data?.deliveryHealth ?? undefined
}

const COLORS = { none: 'green', ours: 'red', theirs: 'orange' } as const

/** One sentence: whether deliveries arrive, and whose fault it is if they do not. */
export function HealthSentence({ health }: { health: DeliveryHealth | undefined }) {
  const nowMs = useNow()
  if (!health) return <Skeleton h={24} maw={560} />
  const { fault, text } = healthSentence(health, nowMs)
  const Icon = fault === 'none' ? IconCircleCheck : IconAlertTriangle
  return (
    <Group gap="xs" wrap="nowrap" align="start" role="status">
      <Icon
        size={20}
        aria-hidden
        style={{ flex: 'none', marginTop: 2, color: `var(--posthorn-mark-${COLORS[fault]})` }}
      />
      <Text fw={600}>{text}</Text>
    </Group>
  )
}

/** What waits, by reason, with the oldest of each. Empty if nothing waits. */
export function WaitingByReason({ health }: { health: DeliveryHealth | undefined }) {
  if (!health || health.waiting.length === 0) return null
  return (
    <Section title="What deliveries wait for">
      <Figures
        figures={health.waiting.map(({ reason, count, oldestAt }) => ({
          label: WAITING_REASONS[reason],
          value: countOf(count),
          note: oldestAt && (
            <>
              Oldest: <Time at={oldestAt} as="elapsed" />
            </>
          ),
        }))}
      />
    </Section>
  )
}
