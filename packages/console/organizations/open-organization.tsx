import { Button, Text } from '@mantine/core'
import { consoleUrl } from '../mount.ts'
import { useSession } from '../session/session.tsx'

const WIDTH = 72

/** Opens the console of an organization. A plain link, because the router does not cover that path. */
export function OpenOrganization({ id, name }: { id: string; name: string }) {
  const { viewer } = useSession()
  if (viewer.organization.id === id) {
    return (
      <Text size="xs" c="dimmed" w={WIDTH} ta="center">
        Current
      </Text>
    )
  }
  return (
    <Button
      component="a"
      href={consoleUrl(id)}
      size="xs"
      variant="default"
      w={WIDTH}
      aria-label={`Open ${name}`}
    >
      Open
    </Button>
  )
}
