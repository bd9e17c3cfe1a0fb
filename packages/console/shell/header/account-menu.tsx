import { ActionIcon, Menu, Text, useMantineColorScheme } from '@mantine/core'
import {
  IconArrowBackUp,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
} from '@tabler/icons-react'
import { key, t } from '../../language/t.ts'
import { mount } from '../../mount.ts'
import { portalLink } from '../../session/portal.ts'
import { useSession, type Viewer } from '../../session/session.tsx'
import { AboutItems } from './about-items.tsx'

const SCHEMES = [
  ['light', key('Light'), IconSun],
  ['dark', key('Dark'), IconMoon],
  ['auto', key('System'), IconDeviceDesktop],
] as const

/** Shows the session, switches the color scheme, and signs out. */
export function AccountMenu() {
  const { viewer, signOut } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isPortal = mount.kind === 'portal'
  return (
    <Menu position="bottom-end" width={260} withArrow>
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={t('Account and appearance')}>
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('Organization')}</Menu.Label>
        <Text size="sm" fw={600} px="sm" pb="xs">
          {viewer.organization.name}
        </Text>
        {mount.organizationId !== null && (
          <Menu.Item
            leftSection={<IconArrowBackUp size={16} />}
            component="a"
            href="/console/organizations"
          >
            Back to your own organization
          </Menu.Item>
        )}
        {!isPortal && <SignedIn {...viewer} />}
        {(!portalLink || portalLink.scheme === 'auto') && (
          <>
            <Menu.Divider />
            <Menu.Label>{t('Appearance')}</Menu.Label>
            {SCHEMES.map(([scheme, label, Icon]) => (
              <Menu.Item
                key={scheme}
                leftSection={<Icon size={16} />}
                onClick={() => setColorScheme(scheme)}
                role="menuitemradio"
                aria-checked={colorScheme === scheme}
                fw={colorScheme === scheme ? 650 : undefined}
              >
                {t(label)}
              </Menu.Item>
            ))}
          </>
        )}
        {!isPortal && (
          <>
            <Menu.Divider />
            <AboutItems />
            <Menu.Divider />
            <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
              Sign out
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The person who signed in by OpenID Connect or, without one, the API key. */
function SignedIn({ person, apiKey }: Viewer) {
  return (
    <>
      <Menu.Label>{person ? 'Signed in as' : 'API key'}</Menu.Label>
      <Text size="sm" px="sm" pb="xs" style={{ overflowWrap: 'anywhere' }}>
        {person ?? (
          <>
            {apiKey.name ?? 'Unnamed'}{' '}
            <Text span c="dimmed" className="ph-mono">
              {apiKey.tokenHint}…
            </Text>
          </>
        )}
      </Text>
    </>
  )
}
