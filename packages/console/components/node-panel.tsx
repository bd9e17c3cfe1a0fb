import { Drawer, type DrawerProps, Skeleton, Text } from '@mantine/core'
import type { CombinedError } from 'urql'
import { QueryError } from './query-error.tsx'

interface NodePanelProps extends Omit<DrawerProps, 'position'> {
  readonly error: CombinedError | undefined
  reload(): void
  /** What is said instead of the children if the object does not exist. */
  readonly missing: string | false | undefined
}

/** One object in a drawer, beside the list that it is opened from. It has no children while it loads. */
export function NodePanel({ title, error, reload, missing, children, ...drawer }: NodePanelProps) {
  return (
    <Drawer {...drawer} position="right" title={title}>
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
