import { ActionIcon } from '@mantine/core'
import { IconUser } from '@tabler/icons-react'
import { useScript } from '../components/use-script.ts'
import { t } from '../language/t.ts'
import { portalLink } from '../session/portal.ts'

/** Opens the account menu, whose script is loaded when it is first opened. */
export function AccountButton() {
  const [script, ask] = useScript(() => import('./account-menu.tsx'))
  // In the portal, there is nothing but the color scheme.
  if (portalLink && portalLink.scheme !== 'auto') return null
  const look = { variant: 'default', size: 30, 'aria-label': t('Account and appearance') }
  const icon = <IconUser size={18} />
  return script ? (
    <script.AccountMenu>
      {/* The menu returns the focus to this button, which replaces the other one. */}
      <ActionIcon {...look} autoFocus>
        {icon}
      </ActionIcon>
    </script.AccountMenu>
  ) : (
    <ActionIcon {...look} aria-haspopup="menu" aria-expanded={false} onClick={ask}>
      {icon}
    </ActionIcon>
  )
}
