import { ActionIcon, Button, Menu } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconDots } from '@tabler/icons-react'
import type { ComponentType } from 'react'
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

interface PageActionsProps {
  readonly actions: readonly (PageAction | false | null)[]
  /** The accessible name of the menu. */
  readonly label?: string
  /** The height of the button that opens the menu, in pixels. */
  readonly size?: number
}

/** The actions of a page, the most important first. In a narrow window, the others move into a menu. */
export function PageActions({ actions, label = t('More actions'), size = 36 }: PageActionsProps) {
  const isNarrow = useMediaQuery('(max-width: 52em)', false, { getInitialValueInEffect: false })
  const all = actions.filter((action) => action !== false && action !== null)
  const inMenu = all.filter(({ isRare }, index) => isRare || (isNarrow && index > 0))
  return (
    <>
      {all
        .filter((action) => !inMenu.includes(action))
        .map(({ isPrimary, loading = false, ...action }) => (
          <Button
            key={action.label}
            {...itemProps(action)}
            variant={isPrimary ? 'filled' : 'default'}
            loading={loading}
          />
        ))}
      {inMenu.length > 0 && (
        <Menu position="bottom-end" withArrow>
          <Menu.Target>
            <ActionIcon variant="default" size={size} aria-label={label}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {inMenu.map(({ isDestructive, loading = false, ...action }) => (
              <Menu.Item
                key={action.label}
                {...itemProps(action)}
                {...(isDestructive && { color: 'red', c: 'var(--mantine-color-error)' })}
                disabled={loading}
              />
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  )
}

const itemProps = ({ label, icon: Icon, to, onClick }: PageAction) => ({
  children: label,
  leftSection: Icon && <Icon size={16} />,
  ...(onClick && { onClick }),
  ...(to !== undefined && { renderRoot: (props: object) => <Link to={to} {...props} /> }),
})
