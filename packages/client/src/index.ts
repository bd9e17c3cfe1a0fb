export { type Client, type ClientOptions, createClient } from './client.ts'
export type {
  CallOptions,
  EventDetails,
  EventType,
  NewEvent,
  PublishedEvent,
  PublishOptions,
} from './event.ts'
export { type Issue, PosthornError, type PosthornErrorCode } from './posthorn-error.ts'
