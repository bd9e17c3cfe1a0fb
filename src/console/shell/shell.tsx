import { Anchor, AppShell, Burger, Group, Image, NavLink, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense, useEffect, useRef } from 'react'
import { Outlet, NavLink as RouterLink, useLocation, useNavigationType } from 'react-router'
import { Logo } from '../components/page/logo.tsx'
import { mount } from '../mount.ts'
import { portalLink, useSession } from '../session/session.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ActingAs } from './acting-as.tsx'
import { GoTo } from './go-to.tsx'
import { navigationFor } from './navigation.ts'
import { PageBoundary } from './page-boundary.tsx'
import { Progress } from './progress.tsx'

/** The frame of every page: the header and the navigation. */
export function Shell() {
  const session = useSession()
  const { viewer } = session
  const [opened, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const navigationType = useNavigationType()
  const main = useRef<HTMLElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of page
  useEffect(() => {
    close()
    // On Back and Forward, the browser restores the scroll position.
    if (navigationType !== 'POP') scrollTo(0, 0)
  }, [pathname])

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <Anchor className="ph-skip" href="#main" onClick={() => main.current?.focus()}>
        Skip to content
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close navigation' : 'Open navigation'}
              aria-expanded={opened}
            />
            {portalLink?.logo ? (
              <Image src={portalLink.logo} alt={viewer.organization.name} h={28} w="auto" />
            ) : (
              <Logo />
            )}
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <GoTo />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <Stack gap="md" style={{ overflowY: 'auto' }}>
          {navigationFor(session).map(({ label, destinations }) => (
            <Stack gap={2} key={label}>
              {label && (
                <Text size="xs" fw={600} c="dimmed" px="sm" pb={2}>
                  {label}
                </Text>
              )}
              {destinations.map(({ label, to, icon: Icon }) => (
                <NavLink
                  key={to}
                  component={RouterLink}
                  to={to}
                  label={label}
                  leftSection={<Icon size={18} stroke={1.7} />}
                  active={pathname === to || pathname.startsWith(`${to}/`)}
                  style={{ borderRadius: 'var(--mantine-radius-md)' }}
                />
              ))}
            </Stack>
          ))}
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
        {mount.organizationId !== null && <ActingAs />}
        <Stack maw={1280} mx="auto" gap="lg">
          <PageBoundary key={pathname}>
            <Suspense fallback={<Progress />}>
              <Outlet />
            </Suspense>
          </PageBoundary>
        </Stack>
      </AppShell.Main>
    </AppShell>
  )
}
