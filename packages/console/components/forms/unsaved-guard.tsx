import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { t } from '../../language/t.ts'
import { Confirm } from '../confirm.tsx'

/** Asks before the reader loses unsaved changes by a link, by Back, or by closing the tab. */
export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const { state, reset, proceed } = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsaved && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (!unsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [unsaved])
  return (
    <Confirm
      opened={state === 'blocked'}
      onClose={() => reset?.()}
      title={t('Leave without saving?')}
      action={t('Leave')}
      destructive
      onConfirm={() => {
        proceed?.()
        // The dialog goes with the page.
        return new Promise(() => {})
      }}
    >
      {t('Your changes are lost if you leave.')}
    </Confirm>
  )
}
