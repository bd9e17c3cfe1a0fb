import { NavLink, Stack, Text, Tooltip } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { NavLink as RouterLink, useLocation } from 'react-router'
import { useIsNarrow } from '../components/use-is-narrow.ts'
import { useSession } from '../session/session.tsx'
import { type Destination, navigationFor } from './navigation.ts'

interface MenuProps {
  /** Shows only icons, whose tooltips name the pages. */
  readonly collapsed: boolean
}

/** The pages that the viewer may see, in groups. */
export function Menu({ collapsed }: MenuProps) {
  return (
    <Stack gap="md" style={{ overflowY: 'auto', overflowX: 'hidden', flex: 1 }}>
      {navigationFor(useSession()).map(({ label, destinations }) => (
        <Stack gap={2} key={label}>
          {label && !collapsed && (
            <Text size="xs" fw={500} c="dimmed" px="sm" pb={2}>
              {label}
            </Text>
          )}
          {destinations.map((destination) => (
            <MenuLink key={destination.to} {...destination} collapsed={collapsed} />
          ))}
        </Stack>
      ))}
    </Stack>
  )
}

function MenuLink({ label, to, icon: Icon, collapsed }: Destination & MenuProps) {
  const { pathname } = useLocation()
  return (
    <Tooltip label={label} position="right" disabled={!collapsed}>
      <NavLink
        component={RouterLink}
        to={to}
        label={collapsed ? undefined : label}
        aria-label={collapsed ? label : undefined}
        leftSection={<Icon size={18} stroke={1.7} />}
        active={pathname === to || pathname.startsWith(`${to}/`)}
        className="ph-menu-link"
        data-collapsed={collapsed || undefined}
      />
    </Tooltip>
  )
}

const WIDE = 220
const COLLAPSED = 60
/** A narrower shell leaves the room to its page. */
const NARROW_BELOW = 1_100

/** Whether the side menu shows only icons: as the reader chose or, without a choice, in a narrow shell. */
export function useMenuWidth() {
  const [shell, isNarrow] = useIsNarrow<HTMLDivElement>(NARROW_BELOW)
  const [chosen, setChosen] = useLocalStorage<'wide' | 'collapsed' | undefined>({
    key: 'posthorn-menu',
    getInitialValueInEffect: false,
  })
  const collapsed = chosen === undefined ? isNarrow : chosen === 'collapsed'
  return {
    shell,
    collapsed,
    width: collapsed ? COLLAPSED : WIDE,
    toggle: () => setChosen(collapsed ? 'wide' : 'collapsed'),
  }
}
