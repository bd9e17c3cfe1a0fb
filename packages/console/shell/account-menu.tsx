import { Menu, Text, useMantineColorScheme } from '@mantine/core'
import {
  IconArrowBackUp,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
} from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { key, t } from '../language/t.ts'
import { mount } from '../mount.ts'
import { hasDocs, hasGraphiql } from '../page-settings.ts'
import { useSession } from '../session/session.tsx'

const SCHEMES = [
  ['light', key('Light'), IconSun],
  ['dark', key('Dark'), IconMoon],
  ['auto', key('System'), IconDeviceDesktop],
] as const

/** The references that this server offers. */
const REFERENCES = [
  ['/docs/', 'Documentation', hasDocs],
  ['/graphql', 'GraphiQL', hasGraphiql],
  ['/schema.graphql', 'GraphQL schema', true],
  ['/openapi.json', 'REST API description', true],
] as const

/** Switches the color scheme, shows the session, and signs out. Opens as soon as it is there, for its button `children`. */
export function AccountMenu({ children }: { children: ReactNode }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [opened, setOpened] = useState(false)
  useEffect(() => setOpened(true), [])
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={260} withArrow>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
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
        {mount.kind === 'console' && <OfConsole />}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The references, and who is signed in: a person by OpenID Connect or, without one, an API key. */
function OfConsole() {
  const { viewer, signOut } = useSession()
  const { person, apiKey } = viewer
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{`Posthorn ${__VERSION__}`}</Menu.Label>
      {REFERENCES.filter(([, , isOffered]) => isOffered).map(([href, label]) => (
        <Menu.Item key={href} component="a" href={href} target="_blank">
          {label}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Label>{person ? 'Signed in as' : 'API key'}</Menu.Label>
      <Text size="sm" px="sm" pb="xs" style={{ overflowWrap: 'anywhere' }}>
        {person ?? `${apiKey.name ?? 'Unnamed'} ${apiKey.tokenHint}…`}
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
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
        Sign out
      </Menu.Item>
    </>
  )
}

/** Set at build from package.json. */
declare const __VERSION__: string
