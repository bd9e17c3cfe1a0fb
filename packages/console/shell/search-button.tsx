import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useScript } from '../components/use-script.ts'

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'
const LABEL = 'Search or go to'

/** Opens the command menu, whose script is loaded when it is first opened. */
export function SearchButton() {
  const [script, ask] = useScript(() => import('../command-menu/command-menu.tsx'))
  const open = async () => (await ask())?.openCommandMenu()

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
      {script && <script.CommandMenu />}
    </>
  )
}
