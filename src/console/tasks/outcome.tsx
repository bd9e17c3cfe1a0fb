import { Anchor, Group, Progress, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../strings/t.ts'
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
            aria-label={t(`tasks:${name}`, { count })}
          />
        ))}
      </Progress.Root>
      <Group gap="md" role="status">
        {children}
        {parts.map(({ name, count, color, href }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <span className="ph-dot" style={{ background: color }} />
            {href === undefined ? (
              <Text size="sm">{t(`tasks:${name}`, { count })}</Text>
            ) : (
              <Anchor href={href} size="sm" underline="always">
                {t(`tasks:${name}`, { count })}
              </Anchor>
            )}
          </Group>
        ))}
      </Group>
    </>
  )
}
