import { type ClientOptions, checkOptions } from './client-options.ts'
import type {
  CallOptions,
  EventDetails,
  EventType,
  NewEvent,
  PublishedEvent,
  PublishOptions,
  RequestOptions,
} from './event.ts'
import { PosthornError } from './posthorn-error.ts'
import { type Answer, errorOf, readBody, readData } from './read-answer.ts'
import { graphqlBody, postRequest } from './request.ts'
import { sendUntilAnswered } from './send.ts'

/**
 * Publishes events, and runs other operations of the API. A publish and a query are tried again after a lost connection,
 * 429, 502, 503 and 504, with growing delays and as `Retry-After` asks, until the time of the call is up. Every event has an
 * idempotency key, so it is published once.
 *
 * `Events` has the data of each event type: `{ 'order.paid': { order: number } }`. By default, any type and data.
 */
export interface Client<Events extends object = Record<string, unknown>> {
  /**
   * Publishes one event. When the promise resolves, the event is stored, and it is certain which webhooks get it.
   *
   * @throws {PosthornError} (as a rejected promise) if the event is not published, or if that is unknown.
   * @throws {TypeError} (as a rejected promise) if an argument cannot be sent.
   */
  publish<Type extends EventType<Events>>(
    type: Type,
    data: Events[Type],
    options?: PublishOptions<Events[Type]>,
  ): Promise<PublishedEvent>
  /**
   * Publishes 1 to 1,000 events in one transaction, in a request of at most 1 MiB. If one of them is invalid, none is
   * published. Throws as `publish` does.
   *
   * @returns The published events, in the same order.
   */
  publishMany(events: readonly NewEvent<Events>[], options?: CallOptions): Promise<PublishedEvent[]>
  /**
   * Runs a query or a mutation, and resolves with its `data`. A document that begins with `query` or `{` is tried again, as
   * `publish` is. Any other is sent once, in the time of the call: a mutation may have acted although its answer is lost.
   *
   * @throws {PosthornError} (as a rejected promise) if there is an error, also one that a mutation returns as data and
   * whose `code` and `message` the document selects: `... on UserError { code message }`.
   */
  request<Data = Record<string, unknown>>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Data>
}

/**
 * @throws {TypeError} if the url or the token cannot be used, or if an option is unknown.
 *
 * @example
 * ```ts
 * const posthorn = createClient({
 *   url: 'https://webhooks.example.com',
 *   token: process.env.POSTHORN_API_KEY ?? '',
 * })
 * await posthorn.publish('order.paid', { order: 9001, total: '49.90' }, { idempotencyKey: 'order-9001' })
 * ```
 */
export function createClient<Events extends object = Record<string, unknown>>(
  options: ClientOptions,
): Client<Events> {
  checkOptions(options)

  async function send(
    path: string,
    body: object,
    { signal, timeoutMs = options.timeoutMs ?? 30_000 }: CallOptions,
    isOnce = false,
  ): Promise<Answer> {
    if (!(timeoutMs >= 0)) throw new TypeError('timeoutMs must be a number of milliseconds from 0.')
    return await sendUntilAnswered(postRequest(options, path, body), { signal, timeoutMs, isOnce })
  }

  async function publish<Published>(
    events: SentEvent | readonly SentEvent[],
    limits: CallOptions,
  ): Promise<Published> {
    try {
      const answer = await send('/api/events/v1/events', events, limits)
      const body = readBody(answer)
      if (answer.status === 201 && ('id' in body || 'events' in body)) return body as Published
      throw errorOf(answer)
    } catch (error) {
      if (!(error instanceof PosthornError)) throw error
      const { code, message, cause, issues, requestId, mayHaveActed } = error
      throw new PosthornError(code, mayHaveActed ? message + MAY_BE_PUBLISHED : message, {
        cause,
        issues,
        requestId,
        idempotencyKeys: [events].flat().map(({ idempotencyKey }) => idempotencyKey),
      })
    }
  }

  return {
    async publish(type, data, { signal, timeoutMs, ...details } = {}) {
      const event = toSend({ ...details, type, data })
      return await publish<PublishedEvent>(event, { signal, timeoutMs })
    },
    publishMany: async (events, { signal, timeoutMs } = {}) =>
      (await publish<PublishedEvents>(events.map(toSend), { signal, timeoutMs })).events,
    async request<Data>(query: string, variables = {}, { graph, ...limits }: RequestOptions = {}) {
      const path = graph === 'events' ? '/graphql/events' : '/graphql'
      const body = await graphqlBody(options, query, variables)
      return readData(await send(path, body, limits, !/^\s*(query\b|\{)/.test(query))) as Data
    },
  }
}

type PublishedEvents = { readonly events: PublishedEvent[] }

const MAY_BE_PUBLISHED =
  ' An event may have been published; publish it again only with the same idempotency key.'

interface SentEvent extends EventDetails {
  readonly idempotencyKey: string
}

/** Unknown fields are sent too, so that Posthorn rejects them by name. */
function toSend<Event extends EventDetails>(event: Event): Event & SentEvent {
  return {
    ...event,
    timestamp: textOf(event.timestamp),
    idempotencyKey: event.idempotencyKey ?? crypto.randomUUID(),
  }
}

/** JSON prints an invalid date as null, which Posthorn would take for now. */
function textOf(timestamp: Date | string | undefined): string | undefined {
  if (!(timestamp instanceof Date)) return timestamp
  if (Number.isNaN(timestamp.getTime())) throw new TypeError('timestamp is an invalid Date.')
  return timestamp.toISOString()
}
