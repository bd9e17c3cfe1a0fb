import { ActionIcon, Anchor, AppShell, Burger, Group, Image, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useUnreachableSince } from '../api/connection.ts'
import { Logo } from '../components/page/centered.tsx'
import { t } from '../language/t.ts'
import { portalLink } from '../session/portal.ts'
import { useSession } from '../session/session.tsx'
import { AccountMenu } from './header/account-menu.tsx'
import { GoTo } from './header/go-to.tsx'
import { OrganizationSwitcher } from './header/organization-switcher.tsx'
import { Menu, useMenuWidth } from './menu.tsx'
import { PageOutlet } from './page-outlet.tsx'
import { UnreachableBar } from './unreachable-bar.tsx'

/** The frame of every page: the header and the menu. */
export function Shell() {
  const { viewer } = useSession()
  const [opened, { toggle, close }] = useDisclosure()
  const menu = useMenuWidth()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const isStale = useUnreachableSince() !== null

  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a narrow page closes once it leads to another
  useEffect(close, [pathname, close])

  const collapse = menu.collapsed ? t('Expand menu') : t('Collapse menu')
  const Collapse = menu.collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse
  return (
    <AppShell
      ref={menu.shell}
      header={{ height: 52 }}
      navbar={{ width: menu.width, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'lg' }}
      transitionDuration={150}
    >
      <Anchor className="ph-skip" href="#main" onClick={() => main.current?.focus()}>
        {t('Skip to content')}
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? t('Close menu') : t('Open menu')}
              aria-expanded={opened}
            />
            {portalLink?.logo ? (
              <Image src={portalLink.logo} alt={viewer.organization.name} h={28} w="auto" />
            ) : (
              <Logo />
            )}
            <OrganizationSwitcher />
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            <GoTo />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('Pages')}>
        <Menu collapsed={menu.collapsed && !opened} />
        <Tooltip label={collapse} position="right">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            visibleFrom="sm"
            aria-label={collapse}
            onClick={menu.toggle}
          >
            <Collapse size={18} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
        <UnreachableBar />
        <Stack maw={1280} mx="auto" gap="lg" className="ph-page" data-stale={isStale || undefined}>
          <PageOutlet />
        </Stack>
      </AppShell.Main>
    </AppShell>
  )
}
