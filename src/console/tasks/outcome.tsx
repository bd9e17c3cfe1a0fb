import { Anchor, Group, Progress, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../lib/format.ts'
import type { TaskPart } from './task-parts.ts'
import './tasks.css'

interface OutcomeProps {
  readonly parts: readonly TaskPart[]
  /** The accessible name of the bar. */
  readonly label: string
  /** Before the words. */
  readonly children?: ReactNode
}

/** What came of many deliveries so far, in a bar and in words. */
export function Outcome({ parts, label, children }: OutcomeProps) {
  const whole = parts.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <Progress.Root size="sm" aria-label={label}>
        {parts.map(({ name, count, color }) => (
          <Progress.Section
            key={name}
            value={whole > 0 ? (100 * count) / whole : 0}
            color={color}
            aria-label={PARTS[name](count)}
          />
        ))}
      </Progress.Root>
      <Group gap="md" role="status">
        {children}
        {parts.map(({ name, count, color, href }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <span className="ph-dot" style={{ background: color }} />
            {href === undefined ? (
              <Text size="sm">{PARTS[name](count)}</Text>
            ) : (
              <Anchor href={href} size="sm" underline="always">
                {PARTS[name](count)}
              </Anchor>
            )}
          </Group>
        ))}
      </Group>
    </>
  )
}

const PARTS = {
  queued: (count: number) => `${formatCount(count)} queued`,
  delivered: (count: number) => `${formatCount(count)} delivered`,
  failed: (count: number) => `${formatCount(count)} failed`,
  waiting: (count: number) => `${formatCount(count)} in progress`,
  canceled: (count: number) => `${formatCount(count)} canceled`,
  left: (count: number) => `${formatCount(count)} remaining`,
  skipped: (count: number) => `${formatCount(count)} skipped: finished, queued or waiting`,
}
