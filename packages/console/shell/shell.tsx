import { Anchor, AppShell, Burger, Group, Image, NavLink, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { useUnreachableSince } from '../api/connection.ts'
import { Logo } from '../components/page/centered.tsx'
import { t } from '../language/t.ts'
import { mount } from '../mount.ts'
import { portalLink } from '../session/portal.ts'
import { useSession } from '../session/session.tsx'
import { AccountButton } from './account-button.tsx'
import { placesFor } from './navigation.ts'
import { PageOutlet } from './page-outlet.tsx'
import { SearchButton } from './search-button.tsx'
import { SectionTabs } from './section-tabs.tsx'
import { UnreachableBar } from './unreachable-bar.tsx'
import './shell.css'

/** The frame of every page: the header, the menu, and the tabs of the present place. */
export function Shell() {
  const session = useSession()
  const [opened, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const isStale = useUnreachableSince() !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of page
  useEffect(close, [pathname])

  const places = placesFor(session)
  const here = places.find(({ sections }) => sections.some(({ to }) => to === pathname))
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 176, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'lg' }}
      transitionDuration={150}
    >
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={opened ? t('Close menu') : t('Open menu')}
              aria-expanded={opened}
            />
            {portalLink?.logo ? (
              <Image src={portalLink.logo} alt={session.viewer.organization.name} h={28} w="auto" />
            ) : (
              <Logo />
            )}
            <OrganizationName />
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            <SearchButton />
            <AccountButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('Pages')}>
        {places.map(({ id, label, icon: Icon, sections }) => {
          const isHere = sections.some(({ to }) => `${pathname}/`.startsWith(`${to}/`))
          return (
            <NavLink
              key={id}
              component={Link}
              to={sections[0]?.to ?? '/'}
              label={label}
              leftSection={<Icon size={18} stroke={1.7} />}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
              bdrs="md"
              py={6}
            />
          )
        })}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <UnreachableBar />
        <Stack maw={1280} mx="auto" gap="lg" className="ph-page" data-stale={isStale || undefined}>
          {here && here.sections.length > 1 && <SectionTabs {...here} />}
          <PageOutlet />
        </Stack>
      </AppShell.Main>
    </AppShell>
  )
}

/** The first link of a page, shown once it has the focus. */
export function SkipLink() {
  return (
    <Anchor
      className="ph-skip"
      href="#main"
      onClick={() => document.getElementById('main')?.focus()}
    >
      {t('Skip to content')}
    </Anchor>
  )
}

/** For operators, a link to the other organizations. It stands out while they act for one that is not their own. */
function OrganizationName() {
  const { viewer, can } = useSession()
  const { name } = viewer.organization
  if (!can('admin')) {
    return (
      <Text size="sm" fw={500} truncate title={name}>
        {name}
      </Text>
    )
  }
  const isOther = mount.organizationId !== null
  const label = isOther ? `Acting for ${name}` : name
  return (
    <Anchor
      component={Link}
      to="/organizations"
      size="sm"
      fw={isOther ? 650 : 500}
      c={isOther ? 'var(--posthorn-on-orange)' : 'inherit'}
      truncate
      title={isOther ? `You act for ${name}, which is not your own organization.` : 'Organizations'}
    >
      {label}
    </Anchor>
  )
}
