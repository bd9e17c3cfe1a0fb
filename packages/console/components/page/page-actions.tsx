import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ComponentType, createContext, useContext } from 'react'
import { Link } from 'react-router'
import { t } from '../../language/t.ts'

interface PageAction {
  readonly label: string
  readonly icon?: ComponentType<{ size: number }>
  /** A link instead of a button. */
  readonly to?: string
  readonly onClick?: () => void
  readonly loading?: boolean
  readonly isPrimary?: boolean
  readonly isDestructive?: boolean
  /** In the menu at any width. */
  readonly isRare?: boolean
}

/** Whether the header of the page is narrow. */
export const NarrowHeader = createContext(false)

/** The actions of a page, the most important first. Where they do not fit, the others move into a menu. */
export function PageActions({ actions }: { actions: readonly (PageAction | false | null)[] }) {
  const isNarrow = useContext(NarrowHeader)
  const all = actions.filter((action) => action !== false && action !== null)
  const inMenu = all.filter(({ isRare }, index) => isRare || (isNarrow && index > 0))
  return (
    <>
      {all
        .filter((action) => !inMenu.includes(action))
        .map((action) => (
          <ActionButton key={action.label} {...action} />
        ))}
      {inMenu.length > 0 && (
        <Menu position="bottom-end" withArrow>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label={t('More actions')}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {inMenu.map((action) => (
              <ActionItem key={action.label} {...action} />
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  )
}

function ActionButton({ label, icon: Icon, to, isPrimary = false, ...button }: PageAction) {
  const { onClick, loading } = button
  const look = {
    variant: isPrimary ? 'filled' : 'default',
    leftSection: Icon && <Icon size={16} />,
    loading,
    children: label,
  }
  return to === undefined ? (
    <Button {...look} onClick={onClick} />
  ) : (
    <Button {...look} component={Link} to={to} />
  )
}

function ActionItem({ label, icon: Icon, to, isDestructive = false, ...item }: PageAction) {
  const look = {
    leftSection: Icon && <Icon size={16} />,
    ...(isDestructive && { color: 'red', c: 'var(--mantine-color-error)' }),
    children: label,
  }
  return to === undefined ? (
    <Menu.Item {...look} onClick={item.onClick} disabled={item.loading} />
  ) : (
    <Menu.Item {...look} component={Link} to={to} />
  )
}
