import { Alert, Anchor, Group } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { Trans } from 'react-i18next'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'

/** Reminds an operator that the page belongs to another organization. */
export function ActingAs() {
  const { viewer } = useSession()
  return (
    <Alert color="yellow" variant="light" icon={<IconBuilding size={18} />} mb="lg" py="xs">
      <Group justify="space-between">
        <span>
          <Trans
            ns="shell"
            i18nKey="actingAs.text"
            values={{ name: viewer.organization.name }}
            components={{ strong: <strong /> }}
          />
        </span>
        <Anchor href="/console/organizations" size="sm" c="inherit" underline="always">
          {t('shell:actingAs.back')}
        </Anchor>
      </Group>
    </Alert>
  )
}
