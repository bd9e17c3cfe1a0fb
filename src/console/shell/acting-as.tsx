import { Alert, Anchor, Group } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useSession } from '../session/session.tsx'

/** Reminds an operator that the page belongs to another organization. */
export function ActingAs() {
  const { viewer } = useSession()
  return (
    <Alert color="yellow" variant="light" icon={<IconBuilding size={18} />} mb="lg" py="xs">
      <Group justify="space-between">
        <span>
          You are acting for <strong>{viewer.organization.name}</strong>.
        </span>
        <Anchor href="/console/organizations" size="sm" c="inherit" underline="always">
          Back to your own organization
        </Anchor>
      </Group>
    </Alert>
  )
}
