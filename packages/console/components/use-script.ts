import { useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../language/t.ts'
import { notifyError } from './notify.ts'

/**
 * A script that is loaded when the reader first asks for it, and how to ask. Resolves to null if the server is
 * unreachable, which the reader is told.
 */
export function useScript<Script>(load: () => Promise<Script>) {
  const [script, setScript] = useState<Script | null>(null)

  async function ask(): Promise<Script | null> {
    try {
      const loaded = await load()
      // A dialog that is mounted before it opens returns the focus as it closes.
      flushSync(() => setScript(loaded))
      return loaded
    } catch {
      notifyError(t('Posthorn is unreachable.'))
      return null
    }
  }

  return [script, ask] as const
}
