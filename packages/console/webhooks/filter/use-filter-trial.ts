import { useDebouncedValue } from '@mantine/hooks'
import { useRead } from '../../api/use-read.ts'
import { TryFilterDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'

/** How long the reader pauses before a filter is tried: at most one request for each pause. */
const PAUSE_MS = 400

/** Tries a filter on the newest events of its types, while the reader writes the filter. */
export function useFilterTrial(filterText: string, eventSubscriptions: readonly string[]) {
  const { can } = useSession()
  const [tried] = useDebouncedValue(filterText, PAUSE_MS)
  const isPossible = can('events:read') && eventSubscriptions.length > 0
  const { data, error, stale, reload } = useRead(
    TryFilterDocument,
    { eventSubscriptions: [...eventSubscriptions], filterText: tried },
    { pause: !isPossible || !isJson(tried), requestPolicy: 'cache-and-network' },
  )
  const isCurrent = tried === filterText && isJson(tried)
  return {
    isPossible,
    isComplete: isJson(filterText),
    /** Of the present text only. Undefined while the text changes or is tried. */
    trial: isCurrent ? (data?.testFilter ?? undefined) : undefined,
    isRunning: isPossible && isJson(filterText) && (!isCurrent || stale),
    error,
    reload,
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
