import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { formatCount, formatDuration, formatPercent } from '../../format.ts'

interface Health {
  readonly attempts: number
  /** Null without attempts. */
  readonly successRate: number | null
  readonly latency: {
    readonly p50Ms: number
    readonly p95Ms: number
    readonly p99Ms: number
  } | null
}

/** The attempts of a time range, in numbers. Undefined while loading. */
export function HealthMetrics({ health }: { health: Health | undefined }) {
  const latency = health?.latency
  const ms = (value: number | undefined) => (value === undefined ? '–' : formatDuration(value))
  const figures = [
    ['Attempts', health && formatCount(health.attempts)],
    [
      'Success rate',
      typeof health?.successRate === 'number' ? formatPercent(health.successRate) : '–',
    ],
    ['Latency, p50', ms(latency?.p50Ms)],
    ['Latency, p95', ms(latency?.p95Ms)],
    ['Latency, p99', ms(latency?.p99Ms)],
  ] as const
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 3, lg: 5 }}>
      {figures.map(([label, value]) => (
        <Paper key={label} withBorder p="md">
          <Text component="dt" size="xs" c="dimmed" fw={600}>
            {label}
          </Text>
          <Text
            component="dd"
            m={0}
            size="xl"
            fw={650}
            style={{ fontVariantNumeric: 'tabular-nums' }}
          >
            {health === undefined ? <Skeleton height={22} my={5} w={60} /> : value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
