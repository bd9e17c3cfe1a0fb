import { Button } from '@mantine/core'
import { consoleUrl, mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'

/** Opens the console of an organization. A plain link, because the router does not cover that path. */
export function OpenOrganization({ id, name }: { id: string; name: string }) {
  const { viewer } = useSession()
  const isHere = viewer.organization.id === id
  // An operator who does not act for another organization sees their own.
  const isOwn = isHere && mount.organizationId === null
  return (
    <Button
      component="a"
      href={isOwn ? '/console/' : consoleUrl(id)}
      size="xs"
      variant="default"
      aria-label={isHere ? `Current: ${name}` : `Open ${name}`}
    >
      {isHere ? 'Current' : 'Open'}
    </Button>
  )
}
