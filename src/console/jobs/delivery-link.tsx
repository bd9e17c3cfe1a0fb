import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { consoleUrl } from '../mount.ts'
import { useSession } from '../session/session.tsx'

interface DeliveryLinkProps {
  readonly id: string
  readonly organizationId: string | null
  readonly children: ReactNode
}

/** A link to a delivery. A delivery of another organization opens in the console of that organization. */
export function DeliveryLink({ id, organizationId, children }: DeliveryLinkProps) {
  const own = useSession().viewer.organization.id
  const path = `/deliveries/${id}`
  if (organizationId === null || organizationId === own) {
    return (
      <Anchor component={Link} to={path} inherit underline="always">
        {children}
      </Anchor>
    )
  }
  return (
    <Anchor href={consoleUrl(organizationId, path)} inherit underline="always">
      {children}
    </Anchor>
  )
}
