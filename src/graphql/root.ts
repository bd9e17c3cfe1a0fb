import { builder } from './builder.ts'

builder.queryType({
  description: 'What can be read. All of it belongs to the organization of the API key.',
})

builder.mutationType({
  description:
    'What can be done. What the caller can do something about is answered as data, in a union beside the success. Only a POST of `application/json` is accepted.',
})

builder.subscriptionType({
  description:
    'What can be watched as it happens: over server-sent events, in the distinct connections mode of the GraphQL-SSE protocol, by POST or GET with `accept: text/event-stream`. From the moment the response begins nothing is missed. A stream ends with an error whose code is `FELL_BEHIND` when its client reads too slowly, and `UNAUTHENTICATED` when its API key is revoked or expires, or its session ends. When its connection breaks otherwise, subscribe again. An API key may have 100 subscriptions in a process.',
})
