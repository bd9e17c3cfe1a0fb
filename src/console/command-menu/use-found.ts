import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { CommandMenuSearchDocument } from '../generated/graphql.ts'
import { consoleUrl } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import type { Command } from './command.ts'

/** How long the reader pauses before the text is searched: at most one request for each pause. */
const PAUSE_MS = 200
const MIN_CHARACTERS = 2

/** The webhooks and organizations with a text, which the server finds. */
export function useFound(text: string) {
  const { can } = useSession()
  const [searched] = useDebouncedValue(text, PAUSE_MS)
  const isSearched = searched.length >= MIN_CHARACTERS && searched === text
  const [{ data, fetching }] = useQuery({
    query: CommandMenuSearchDocument,
    variables: { text: searched, readsWebhooks: can('webhooks:read'), isOperator: can('admin') },
    pause: !isSearched,
    requestPolicy: 'cache-first',
  })
  if (text.length < MIN_CHARACTERS) return { found: [], isSearching: false }
  if (!isSearched || !data) return { found: [], isSearching: !isSearched || fetching }
  const found: readonly Command[] = [
    ...(data.webhooks?.nodes ?? []).map(({ id, url, description }): Command => {
      const [label, hint] = description ? [description, url] : [url]
      return { id, group: 'webhooks', label, hint, to: `/webhooks/${id}` }
    }),
    ...(data.organizations?.nodes ?? []).map(commandOf),
  ]
  return { found, isSearching: false }
}

/** Another organization is another console, so the page loads again. */
function commandOf({ id, name }: { readonly id: string; readonly name: string }): Command {
  return {
    id,
    group: 'organizations',
    label: name,
    hint: id,
    run: () => location.assign(consoleUrl(id)),
  }
}
