export { type Client, createClient } from './client.ts'
export type { ClientOptions } from './client-options.ts'
export type {
  CallOptions,
  EventDetails,
  EventType,
  NewEvent,
  PublishedEvent,
  PublishOptions,
  RequestOptions,
} from './event.ts'
export { type Issue, PosthornError, type PosthornErrorCode } from './posthorn-error.ts'
