import { Kbd, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useShortcuts } from './use-shortcuts.ts'
import './go-to.css'

const CommandMenu = lazy(() =>
  import('../../command-menu/command-menu.tsx').then((m) => ({ default: m.CommandMenu })),
)
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((m) => ({ default: m.ShortcutsDialog })),
)

/** Opens the command menu and, with `?`, the list of shortcuts. */
export function GoTo() {
  const [shown, setShown] = useState<'menu' | 'shortcuts' | null>(null)
  useShortcuts({ openMenu: () => setShown('menu'), openHelp: () => setShown('shortcuts') })
  const close = () => setShown(null)
  return (
    <>
      <UnstyledButton
        className="ph-go-to"
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={() => setShown('menu')}
      >
        <IconSearch size={14} aria-hidden />
        <span>Search or go to</span>
        <Kbd size="xs">{KEYS}</Kbd>
      </UnstyledButton>
      <Suspense>
        {shown === 'menu' && <CommandMenu opened onClose={close} />}
        {shown === 'shortcuts' && <ShortcutsDialog opened onClose={close} />}
      </Suspense>
    </>
  )
}

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'
