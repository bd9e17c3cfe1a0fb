import { Group, Stack, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../language/t.ts'
import type { useSteps } from './use-steps.ts'

export type Steps = ReturnType<typeof useSteps>

export interface Step {
  readonly title: string
  readonly done: boolean
  /** What to do. */
  readonly children: ReactNode
}

export function StepItem({ title, done, children }: Step) {
  const Icon = done ? IconCircleCheckFilled : IconCircle
  const color = done ? 'var(--posthorn-on-green)' : 'var(--mantine-color-dimmed)'
  return (
    <Group component="li" align="start" wrap="nowrap" gap="sm">
      <Icon
        size={20}
        aria-label={done ? t('Done') : t('Not done yet')}
        style={{ flex: 'none', color }}
      />
      <Stack gap={2} miw={0} flex={1}>
        <Title order={3} size="sm" m={0} lh="20px">
          {title}
        </Title>
        {!done && (
          <Text size="sm" c="dimmed" component="div" maw={720}>
            {children}
          </Text>
        )}
      </Stack>
    </Group>
  )
}

/** The buttons of a step. */
export function StepActions({ children }: { children: ReactNode }) {
  return (
    <Group gap="xs" mt="xs">
      {children}
    </Group>
  )
}
