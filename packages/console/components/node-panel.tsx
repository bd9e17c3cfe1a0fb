import { Drawer, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { QueryError } from './query-error.tsx'

interface NodePanelProps {
  readonly opened: boolean
  onClose(): void
  readonly size: string
  readonly title: string
  readonly error: CombinedError | undefined
  reload(): void
  /** What is said instead of the children if the object does not exist. */
  readonly missing: string | false | undefined
  /** Null while loading. */
  readonly children: ReactNode
}

/** One object in a drawer, beside the list that it is opened from. */
export function NodePanel(props: NodePanelProps) {
  const { opened, onClose, size, title, error, reload, missing, children } = props
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={size}
      title={<Text fw={650}>{title}</Text>}
    >
      {children ??
        (error ? (
          <QueryError error={error} reload={reload} />
        ) : missing ? (
          <Text c="dimmed">{missing}</Text>
        ) : (
          <Skeleton height={300} />
        ))}
    </Drawer>
  )
}
