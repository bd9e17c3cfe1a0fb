/**
 * MCP Events for an MCP server of your own: the methods `events/list`, `events/subscribe` and `events/unsubscribe`, on
 * webhooks of Posthorn. Start with {@link registerEvents}.
 *
 * It follows a design sketch of the MCP Events extension, which is not final: `SPECIFICATION` says which revision.
 *
 * @packageDocumentation
 */
export { EventsError } from './events-error.ts'
export type { OfferedArgument, OfferedEvent } from './offered-event.ts'
export type { EventsOptions, Principal, SubscriptionRequest, TtlOptions } from './options.ts'
export { registerEvents, SPECIFICATION } from './register-events.ts'
