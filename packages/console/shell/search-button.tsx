import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import { notifyError } from '../components/notify.ts'
import { t } from '../language/t.ts'

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'
const LABEL = 'Search or go to'

/** Opens the command menu, whose script is loaded when it is first opened. */
export function SearchButton() {
  const [Menu, setMenu] = useState<ComponentType | null>(null)

  async function open() {
    try {
      const { CommandMenu, openCommandMenu } = await import('../command-menu/command-menu.tsx')
      setMenu(() => CommandMenu)
      openCommandMenu()
    } catch {
      notifyError(t('Posthorn is unreachable.'))
    }
  }

  // Also from within a field.
  useHotkeys([['mod+K', open]], [], true)
  const icon = <IconSearch size={14} aria-hidden />
  const look = { variant: 'default', onClick: open, 'aria-keyshortcuts': 'Control+K Meta+K' }
  return (
    <>
      <ActionIcon {...look} size={30} hiddenFrom="sm" aria-label={LABEL}>
        {icon}
      </ActionIcon>
      <Button
        {...look}
        size="xs"
        c="dimmed"
        visibleFrom="sm"
        leftSection={icon}
        rightSection={<Kbd size="xs">{KEYS}</Kbd>}
      >
        {LABEL}
      </Button>
      {Menu && <Menu />}
    </>
  )
}
