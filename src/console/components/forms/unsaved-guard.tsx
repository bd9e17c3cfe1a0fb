import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { place, placeOf } from '../../place.ts'
import { Confirm } from '../confirm.tsx'
import { guardHistory } from './guard-history.ts'
import { guardLeaving } from './leave-for.ts'

/** Asks before a form is left with what was typed into it: by a link of the page, by Back, or by the tab. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const navigate = useNavigate()
  const { key } = useLocation()
  const [going, setGoing] = useState<(() => void) | null>(null)
  const ask = useEffectEvent((go: () => void) => setGoing(() => go))
  const followLink = useEffectEvent((event: MouseEvent) => {
    const to = pathOfLink(event)
    if (to === null) return
    // Before the router sees it.
    event.preventDefault()
    event.stopPropagation()
    ask(() => navigate(to))
  })

  useEffect(() => {
    if (!unsaved) return
    const follow = (event: MouseEvent) => followLink(event)
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    const unguard = guardLeaving((go) => ask(go))
    document.addEventListener('click', follow, { capture: true })
    addEventListener('beforeunload', unload)
    return () => {
      unguard()
      document.removeEventListener('click', follow, { capture: true })
      removeEventListener('beforeunload', unload)
    }
  }, [unsaved])

  // Anew for each entry of the history, as the page may have several.
  useEffect(() => {
    if (unsaved && key) return guardHistory((go) => ask(go))
  }, [unsaved, key])

  return (
    <Confirm
      opened={going !== null}
      onClose={() => setGoing(null)}
      title="Leave without saving?"
      action="Leave"
      destructive
      onConfirm={async () => {
        going?.()
        return null
      }}
    >
      What you changed here is lost.
    </Confirm>
  )
}

/** Which other page of the router a click leads to, or null. Links that load the page anew are asked about by the browser. */
function pathOfLink(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return null
  }
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link?.href || link.download || (link.target && link.target !== '_self')) return null
  const { origin, pathname, search, hash } = new URL(link.href)
  const { basename } = placeOf(pathname)
  if (origin !== location.origin || pathname === location.pathname) return null
  if (basename !== place.basename || !pathname.startsWith(basename)) return null
  return `${pathname.slice(basename.length) || '/'}${search}${hash}`
}
