import { builder } from './builder.ts'

builder.queryType({
  description:
    'All reads. A field that `Organization` has too is a shortcut: it answers for the organization of the caller or, for an operator, for the one in the header `posthorn-organization`. A client with a normalized cache that acts for several organizations selects the fields of `organization` instead. Connections take `first` and `after`, or `last` and `before`: 0 to 100 items, by default 20, as Relay specifies. They are newest first, unless their description gives another order and the reason. `nodes` has the items without their cursors. Lists that are no connections say so, and why. `extensions.cost` of the response has what the operation costs, `requested`, and the `maximum`: the number of fields in its largest response.',
})

builder.mutationType({
  description:
    'All changes. A mutation names its subject with `id`, or an upsert with `uid`, takes the rest as `input`, and returns a union of its success and the errors that the caller can act on. Mutations must be sent as a POST of `application/json`.',
})

builder.subscriptionType({
  description:
    'Live updates over server-sent events, in the distinct connections mode of the GraphQL-SSE protocol: POST or GET with `accept: text/event-stream`. The stream misses no event once the response has started. It ends with the error code `SLOW_CONSUMER` if the unread events of a client take too much memory, `RELOAD_REQUIRED` if it resumes more than 10,000 attempts behind, and `UNAUTHENTICATED` if its API key expires or is revoked, or its session ends. If the connection breaks, subscribe again. Limit: 100 subscriptions per API key and process.',
})
