import { Kbd, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useShortcuts } from './use-shortcuts.ts'
import './go-to.css'

const loadMenu = () => import('../../command-menu/command-menu.tsx')
const CommandMenu = lazy(() => loadMenu().then((m) => ({ default: m.CommandMenu })))
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((m) => ({ default: m.ShortcutsDialog })),
)

/** Opens the command menu and, with `?`, the list of shortcuts. */
export function GoTo() {
  const [shown, setShown] = useState<'menu' | 'shortcuts' | null>(null)
  useShortcuts({ openMenu: () => setShown('menu'), openHelp: () => setShown('shortcuts') })
  const close = () => setShown(null)
  useEffect(loadSoon, [])
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
        {shown === 'menu' && <CommandMenu onClose={close} />}
        {shown === 'shortcuts' && <ShortcutsDialog opened onClose={close} />}
      </Suspense>
    </>
  )
}

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** After the requests of the first page. */
const LOAD_AFTER_MS = 2_000

/** So that the menu opens at once. A failure is reported when the menu opens. */
function loadSoon() {
  const timer = setTimeout(() => void loadMenu().catch(() => {}), LOAD_AFTER_MS)
  return () => clearTimeout(timer)
}
