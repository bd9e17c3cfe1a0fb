import { useMemo } from 'react'
import { usePageQuery } from '../api/page-query.ts'
import type { Actors } from './actor.tsx'
import { auditActorsQuery } from './audit-log-query.ts'

/** Who can have made the changes of the audit log. */
export function useActors(): Actors {
  const { data } = usePageQuery(auditActorsQuery)
  return useMemo(
    () => ({
      keys: new Map(
        data?.apiKeys?.nodes.map(({ id, name, tokenHint }) => [id, name ?? `${tokenHint}…`]),
      ),
      people: [...new Set(data?.signIns?.nodes.flatMap(({ person }) => person ?? []))],
    }),
    [data],
  )
}
