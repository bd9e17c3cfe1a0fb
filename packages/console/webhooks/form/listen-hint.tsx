import { Text } from '@mantine/core'

/** For those who have no server yet. */
export function ListenHint() {
  return (
    <Text size="sm" c="dimmed">
      To try it without a server of your own, run{' '}
      <code className="ph-mono">npx posthorn listen --register</code>: the command creates a webhook
      and prints its deliveries.
    </Text>
  )
}
