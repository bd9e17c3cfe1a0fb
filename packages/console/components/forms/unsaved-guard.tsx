import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { t } from '../../language/t.ts'
import { mount, mountOf } from '../../mount.ts'
import { Confirm } from '../confirm.tsx'
import { guardHistory, guardNavigation } from './leave-guards.ts'

/** Asks before the reader loses unsaved changes by a link, by Back, or by closing the tab. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const navigate = useNavigate()
  const { key } = useLocation()
  const [going, setGoing] = useState<(() => void) | null>(null)
  const ask = useEffectEvent((go: () => void) => setGoing(() => go))
  const followLink = useEffectEvent((event: MouseEvent) => {
    const to = pathOfLink(event)
    if (to === null) return
    // The capture phase runs before the router handles the click.
    event.preventDefault()
    event.stopPropagation()
    ask(() => navigate(to))
  })

  useEffect(() => {
    if (!unsaved) return
    const follow = (event: MouseEvent) => followLink(event)
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    const unguard = guardNavigation((go) => ask(go))
    document.addEventListener('click', follow, { capture: true })
    addEventListener('beforeunload', unload)
    return () => {
      unguard()
      document.removeEventListener('click', follow, { capture: true })
      removeEventListener('beforeunload', unload)
    }
  }, [unsaved])

  // A page can have several history entries; the guard compares with the current one.
  useEffect(() => {
    if (unsaved && key) return guardHistory((go) => ask(go))
  }, [unsaved, key])

  return (
    <Confirm
      opened={going !== null}
      onClose={() => setGoing(null)}
      title={t('Leave without saving?')}
      action={t('Leave')}
      destructive
      onConfirm={async () => {
        going?.()
        return null
      }}
    >
      {t('Your changes are lost if you leave.')}
    </Confirm>
  )
}

/**
 * The path of another page that a click leads to within the router, or null. The browser itself asks before links that
 * leave the router.
 */
function pathOfLink(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return null
  }
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link?.href || link.download || (link.target && link.target !== '_self')) return null
  const { origin, pathname, search, hash } = new URL(link.href)
  const { basename } = mountOf(pathname)
  if (origin !== location.origin || pathname === location.pathname) return null
  if (basename !== mount.basename || !pathname.startsWith(basename)) return null
  return `${pathname.slice(basename.length) || '/'}${search}${hash}`
}
