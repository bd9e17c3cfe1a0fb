import { Button } from '@mantine/core'
import { consoleOf, place } from '../place.ts'
import { useSession } from '../session/session.tsx'

/** Leads to the pages of an organization: it is another place, so the link is a plain one. */
export function OpenOrganization({ id, name }: { id: string; name: string }) {
  const { viewer } = useSession()
  const isHere = viewer.organization.id === id
  // Whoever does not act for another is in their own.
  const isOwn = isHere && place.organizationId === null
  return (
    <Button
      component="a"
      href={isOwn ? '/console/' : consoleOf(id)}
      size="xs"
      variant="default"
      aria-label={isHere ? `You are here: ${name}` : `Open ${name}`}
    >
      {isHere ? 'You are here' : 'Open'}
    </Button>
  )
}
