import { Alert, Group } from '@mantine/core'
import type { ReactNode } from 'react'

interface NoticeProps {
  /** A color of the theme. It only repeats what the title says. */
  readonly color: 'red' | 'orange' | 'yellow' | 'violet' | 'blue' | 'green' | 'gray'
  readonly title: string
  /** The remedy: a button or a link. */
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** Says what is wrong, or worth knowing, and what to do. */
export function Notice({ color, title, action, children }: NoticeProps) {
  return (
    <Alert color={color} title={title}>
      <Group justify="space-between" gap="sm" align="start">
        <div style={{ flex: '1 1 16rem', minWidth: 0 }}>{children}</div>
        {action}
      </Group>
    </Alert>
  )
}
