import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { EventsError } from './events-error.ts'
import { listEvents } from './list-events.ts'
import { checkOptions, type EventsOptions, type Principal } from './options.ts'
import { createCallPosthorn } from './posthorn.ts'
import { subscribe } from './subscribe.ts'
import { unsubscribe } from './unsubscribe.ts'

/** The text that this package follows. It is a draft: names, codes and rules may change. */
export const SPECIFICATION =
  'modelcontextprotocol/experimental-ext-triggers-events, docs/design-sketch-proposal.md of 2026-02-19, commit 082166f0'

/**
 * Adds MCP Events to a server: `events/list`, `events/subscribe` and `events/unsubscribe`, with deliveries by webhook. Call
 * the function for each server that your handler makes, before it connects. A server that offers tools too gets both.
 *
 * @throws {TypeError} if an option is missing, unknown or out of its bounds.
 *
 * @example
 * ```ts
 * registerEvents(server, {
 *   url: 'https://webhooks.example.com/graphql',
 *   token: process.env.POSTHORN_API_KEY ?? '',
 *   principal: ({ http }) => (http?.authInfo ? { id: http.authInfo.clientId } : null),
 *   events: {
 *     'order.paid': { arguments: { country: { path: '$.order.country' } } },
 *   },
 * })
 * ```
 */
export function registerEvents(
  { server }: Pick<McpServer, 'server'>,
  options: EventsOptions,
): void {
  const ttl = checkOptions(options)
  const call = createCallPosthorn(options)
  // Not yet in the types of the SDK.
  server.registerCapabilities({ events: {} } as object)
  const schemas = { params: ANYTHING }
  server.setRequestHandler('events/list', schemas, () => listEvents(call, options))
  server.setRequestHandler('events/subscribe', schemas, async (params, context) =>
    subscribe(call, options, ttl, await principalOf(options, context), params),
  )
  server.setRequestHandler('events/unsubscribe', schemas, async (params, context) =>
    unsubscribe(call, await principalOf(options, context), params),
  )
}

/** The parameters are checked by the functions, which answer with the codes of the sketch. */
const ANYTHING = {
  '~standard': {
    version: 1,
    vendor: 'posthorn',
    validate: (value: unknown) => ({ value }),
  },
} as const

async function principalOf(
  { principal }: EventsOptions,
  context: ServerContext,
): Promise<Principal> {
  const found = await principal(context)
  if (found && typeof found.id === 'string' && found.id !== '') return found
  throw new EventsError('forbidden', 'Subscriptions need an authenticated principal.')
}
