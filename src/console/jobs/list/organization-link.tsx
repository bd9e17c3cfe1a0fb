import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { consoleUrl } from '../../mount.ts'
import { useSession } from '../../session/session.tsx'

/** A touch target of sufficient height where links stand below each other (WCAG 2.2, 2.5.8), on the line of its row. */
const TARGET = {
  display: 'inline-block',
  maxWidth: '100%',
  flex: 'none',
  lineHeight: '24px',
  verticalAlign: 'top',
} as const

interface OrganizationLinkProps {
  readonly organizationId: string | null
  readonly path: string
  readonly children: ReactNode
}

/** A link to a page of an organization. Pages of another organization open in its console. */
export function OrganizationLink({ organizationId, path, children }: OrganizationLinkProps) {
  const own = useSession().viewer.organization.id
  if (organizationId === null || organizationId === own) {
    return (
      <Anchor component={Link} to={path} inherit underline="always" style={TARGET}>
        {children}
      </Anchor>
    )
  }
  return (
    <Anchor href={consoleUrl(organizationId, path)} inherit underline="always" style={TARGET}>
      {children}
    </Anchor>
  )
}
