import { Button } from '@mantine/core'
import { consoleUrl, mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'

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
      aria-label={
        isHere
          ? t('organizations:openOrganization.currentLabel', { name })
          : t('organizations:openOrganization.openLabel', { name })
      }
    >
      {isHere
        ? t('organizations:openOrganization.current')
        : t('organizations:openOrganization.open')}
    </Button>
  )
}
