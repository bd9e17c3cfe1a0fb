import { builder } from './builder.ts'

builder.queryType({
  description:
    'All reads. They are limited to the organization of the API key. `extensions.cost` of the response has what the operation costs, `requested`, and the `maximum`: the number of fields in its largest response.',
})

builder.mutationType({
  description:
    'All changes. Each mutation returns a union of its success and the errors that the caller can act on. Mutations must be sent as a POST of `application/json`.',
})

builder.subscriptionType({
  description:
    'Live updates over server-sent events, in the distinct connections mode of the GraphQL-SSE protocol: POST or GET with `accept: text/event-stream`. The stream misses no event once the response has started. It ends with the error code `SLOW_CONSUMER` if the client has more than 1,000 unread events, and with `UNAUTHENTICATED` if its API key expires or is revoked, or its session ends. If the connection breaks, subscribe again. Limit: 100 subscriptions per API key and process.',
})
