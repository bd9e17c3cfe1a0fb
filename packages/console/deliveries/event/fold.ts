import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'
import { type Session, useSession } from '../../session/session.tsx'

const FOLD = 'by'

/** The parameters of a link to the folded list. */
export const FOLDED = { [FOLD]: 'event' } as const

/** Whether an address asks for one row for each event, in place of one for each delivery. */
export function isFolded(search: URLSearchParams, session: Session): boolean {
  return mayFold(session) && search.get(FOLD) === 'event'
}

/** One webhook has one delivery of each event. */
export function mayFold({ can, webhookId }: Session): boolean {
  return can('events:read') && webhookId === null
}

/** Whether deliveries are folded by event, as a query parameter. The other list has other columns and pages. */
export function useFold() {
  const session = useSession()
  const [params, setParams] = useSearchParams()
  return {
    isOffered: mayFold(session),
    isFolded: isFolded(params, session),
    fold: (on: boolean) =>
      setParams((current) =>
        changedParams(current, {
          [FOLD]: on ? 'event' : null,
          ...{ columns: null, after: null, before: null },
        }),
      ),
  }
}
