import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { consoleOf } from '../place.ts'
import { useSession } from '../session/session.tsx'

interface DeliveryLinkProps {
  readonly id: string
  readonly organizationId: string | null
  readonly children: ReactNode
}

/** Leads to a delivery: that of another organization is shown in the console of that one. */
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
    <Anchor href={consoleOf(organizationId, path)} inherit underline="always">
      {children}
    </Anchor>
  )
}
