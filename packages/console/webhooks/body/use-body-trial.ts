import { useDebouncedValue } from '@mantine/hooks'
import { useRead } from '../../api/use-read.ts'
import { BodyTrialDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'

/** How long the reader pauses before a body is tried: at most one request for each pause. */
const PAUSE_MS = 400

/** How a webhook makes its bodies. */
export type BodyForm = 'selection' | 'template'

interface Tried {
  readonly form: BodyForm
  readonly text: string
  readonly subscriptions: readonly string[]
}

/** The bodies that a selection or a template makes of the newest events, while the reader writes the text. */
export function useBodyTrial({ form, text, subscriptions }: Tried) {
  const { can } = useSession()
  const [tried] = useDebouncedValue(text, PAUSE_MS)
  const isAllowed = can('events:read')
  const isPossible = isAllowed && subscriptions.length > 0
  const { data, error, stale, reload } = useRead(
    BodyTrialDocument,
    { eventSubscriptions: [...subscriptions], [form]: tried },
    { pause: !isPossible || tried.trim() === '', requestPolicy: 'cache-and-network' },
  )
  const isCurrent = tried === text && text.trim() !== ''
  return {
    isAllowed,
    /** Of the present text only. Undefined while the text changes or is tried. */
    trial: isCurrent ? (data?.testBody ?? undefined) : undefined,
    isRunning: isPossible && text.trim() !== '' && (!isCurrent || stale),
    error,
    reload,
  }
}
