import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { describeError } from '../api/request-error.ts'
import {
  CommandMenuSearchDocument,
  type CommandMenuSearchQuery,
  PickEventTypeDocument,
} from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatDateTime } from '../lib/format.ts'
import { maskUrl } from '../lib/mask-url.ts'
import { consoleUrl } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { type Command, GROUPS, isId } from './commands.ts'

/** How long the reader pauses before the text is searched: at most one request for each pause. */
const PAUSE_MS = 200
const MIN_CHARACTERS = 2
const MAX_EVENT_TYPES = 5

/** What the server finds with a text: events by the values of their search keys, webhooks, event types, and others. */
export function useFound(text: string) {
  const { can, webhookId } = useSession()
  const [paused] = useDebouncedValue(text, PAUSE_MS)
  const isShort = text.length < MIN_CHARACTERS
  const isSearched = !isShort && paused === text
  const [{ data, error }] = useQuery({
    query: CommandMenuSearchDocument,
    variables: {
      text: paused,
      id: paused,
      readsWebhooks: can('webhooks:read'),
      readsEvents: can('events:read') && webhookId === null,
      isAttempt: can('deliveries:read') && isId('att', paused),
      isOperator: can('admin'),
    },
    pause: !isSearched,
    requestPolicy: 'cache-first',
  })
  // The catalogue is small, and read once.
  const [catalogue] = useQuery({ query: PickEventTypeDocument, variables: {}, pause: isShort })
  const eventTypes = (catalogue.data?.eventTypes ?? [])
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_EVENT_TYPES)
    .map(({ id, name, archivedAt }) => ({
      id,
      group: GROUPS.eventTypes,
      label: name,
      hint: archivedAt ? t('Archived') : undefined,
      to: `/event-types/${encodeURIComponent(name)}`,
    }))
  const isAnswered = isSearched && data !== undefined
  return {
    found: isShort ? [] : [...(isAnswered ? commandsOf(data) : []), ...eventTypes],
    isSearching: !isShort && !isAnswered && !(isSearched && error),
    failure: isSearched && error ? describeError(error).message : null,
  }
}

function commandsOf(data: CommandMenuSearchQuery): readonly Command[] {
  const attempt = data.node && 'delivery' in data.node ? data.node : null
  return [
    ...[attempt?.delivery ?? []].flat().map((delivery) => ({
      id: delivery.id,
      group: GROUPS.goTo,
      label: `Open attempt ${attempt?.number}`,
      hint: `of ${delivery.id}`,
      to: `/deliveries/${delivery.id}?attempt=${attempt?.id}`,
    })),
    ...(data.events?.nodes ?? []).map(({ id, type, publishedAt, preview }) => ({
      id,
      group: GROUPS.events,
      label: `${type.name}, ${formatDateTime(publishedAt)}`,
      hint: preview ?? undefined,
      to: `/events/${id}`,
    })),
    ...(data.webhooks?.nodes ?? []).map(({ id, url, description }) => ({
      id,
      group: GROUPS.webhooks,
      label: description || maskUrl(url),
      hint: description ? maskUrl(url) : undefined,
      to: `/webhooks/${id}`,
    })),
    ...(data.organizations?.nodes ?? []).map(({ id, name }) => ({
      id,
      group: GROUPS.organizations,
      label: name,
      hint: id,
      href: consoleUrl(id),
    })),
  ]
}
