import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { describeError } from '../api/request-error.ts'
import { CommandMenuSearchDocument, PickEventTypeDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { maskUrl } from '../lib/mask-url.ts'
import { useSession } from '../session/session.tsx'
import { type Command, isId, openEvent, openOrganization } from './command.ts'

/** How long the reader pauses before the text is searched: at most one request for each pause. */
const PAUSE_MS = 200
const MIN_CHARACTERS = 2

const MAX_EVENT_TYPES = 5

/** What the server finds with a text: events by the values of their search keys, webhooks, an attempt and organizations. */
export function useFound(text: string) {
  const { can, webhookId } = useSession()
  const [searched] = useDebouncedValue(text, PAUSE_MS)
  const isSearched = searched.length >= MIN_CHARACTERS && searched === text
  const [{ data, error, fetching }] = useQuery({
    query: CommandMenuSearchDocument,
    variables: {
      text: searched,
      id: searched,
      readsWebhooks: can('webhooks:read'),
      readsEvents: can('events:read') && webhookId === null,
      isAttempt: can('deliveries:read') && isId('att', searched),
      isOperator: can('admin'),
    },
    pause: !isSearched,
    requestPolicy: 'cache-first',
  })
  const eventTypes = useEventTypes(text)
  if (text.length < MIN_CHARACTERS) return { found: [], isSearching: false, failure: null }
  if (!isSearched || !data) {
    const failure = isSearched && error ? describeError(error).message : null
    return {
      found: eventTypes,
      isSearching: failure === null && (!isSearched || fetching),
      failure,
    }
  }
  const attempt = data.node && 'delivery' in data.node ? data.node : null
  const found: readonly Command[] = [
    ...(attempt?.delivery ? [openAttempt(attempt.id, attempt.number, attempt.delivery.id)] : []),
    ...(data.events?.nodes ?? []).map((event) => openEvent(event, 'events')),
    ...(data.webhooks?.nodes ?? []).map(({ id, url, description }): Command => {
      const shown = maskUrl(url)
      const [label, hint] = description ? [description, shown] : [shown]
      return { id, group: 'webhooks', label, hint, to: `/webhooks/${id}` }
    }),
    ...eventTypes,
    ...(data.organizations?.nodes ?? []).map(({ id, name }) =>
      openOrganization(id, name, 'organizations'),
    ),
  ]
  return { found, isSearching: false, failure: null }
}

/** The first event types whose name has the text. The catalogue is small, and read once. */
function useEventTypes(text: string): readonly Command[] {
  const isShort = text.length < MIN_CHARACTERS
  const [{ data }] = useQuery({ query: PickEventTypeDocument, variables: {}, pause: isShort })
  if (isShort) return []
  return (data?.eventTypes ?? [])
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_EVENT_TYPES)
    .map(({ id, name, archivedAt }) => ({
      id,
      group: 'eventTypes',
      label: name,
      hint: archivedAt ? t('Archived') : undefined,
      to: `/event-types/${encodeURIComponent(name)}`,
    }))
}

function openAttempt(id: string, number: number, deliveryId: string): Command {
  const to = `/deliveries/${deliveryId}?attempt=${id}`
  return {
    id,
    group: 'goTo',
    label: `Open attempt ${number}`,
    hint: `of ${deliveryId}`,
    to,
  }
}
