import { useDebouncedValue } from '@mantine/hooks'
import { useRead } from '../../api/use-read.ts'
import { PickWebhookDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'

/**
 * The webhooks to choose from: the first 100 and, if there are more, those whose URL contains the searched text. Ids map
 * to URLs; a chosen webhook that is not among them maps to its id.
 */
export function useWebhookOptions(
  search: string,
  chosen: readonly string[],
): ReadonlyMap<string, string> {
  const { can } = useSession()
  const [typed] = useDebouncedValue(search, 250)
  const hidden = !can('webhooks:read')
  const { data } = useRead(PickWebhookDocument, {}, { pause: hidden })
  const known = data?.webhooks?.nodes ?? []
  const isMore = known.length === 100 && typed !== '' && !known.some(({ url }) => url === typed)
  const { data: found } = useRead(
    PickWebhookDocument,
    { filter: { urlContains: typed } },
    { pause: hidden || !isMore },
  )
  const all = new Map(
    [...known, ...(isMore ? (found?.webhooks?.nodes ?? []) : [])].map(({ id, url }) => [id, url]),
  )
  for (const id of chosen) if (!all.has(id)) all.set(id, id)
  return all
}
