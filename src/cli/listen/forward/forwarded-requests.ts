import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphqlApi } from '../../graphql-api.ts'
import { ServerError } from '../../send-request.ts'
import type { Header, LocalAnswer } from './send-local.ts'

/** The request of an attempt, as the server sends it. */
export interface ForwardedRequest {
  readonly id: string
  readonly headers: readonly Header[]
  /** Base64. */
  readonly body: string
  readonly timeLimitMs: number
}

const SUBSCRIPTION = `
  subscription ($webhookId: ID!) {
    requestForwarded(webhookId: $webhookId) { id headers { name value } body timeLimitMs }
  }`

const ANSWER = `
  mutation ($id: ID!, $input: AnswerForwardedRequestInput!) {
    answerForwardedRequest(id: $id, input: $input) { ... on UserError { code message } }
  }`

export interface Handlers {
  readonly onRequest: (request: ForwardedRequest) => void
  readonly onConnected: () => void
  /** The connection broke, or there was none. It is opened again. */
  readonly onDisconnected: (error: Error) => void
}

const RECONNECT_AFTER_MS = 500
const RECONNECT_AT_MOST_MS = 5_000

/** Codes of a server that is busy, restarts, or has an outage. Every other rejection is final. */
const TRANSIENT = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'SLOW_CONSUMER', 'INTERNAL'])

function isFinal(error: unknown): boolean {
  return error instanceof ServerError && error.code !== null && !TRANSIENT.has(error.code)
}

/** Receives the requests of a temporary webhook until `signal` aborts. Throws once the webhook or the key is gone. */
export async function receiveRequests(
  api: GraphqlApi,
  webhookId: string,
  { onRequest, onConnected, onDisconnected }: Handlers,
  signal: AbortSignal,
): Promise<void> {
  let waitMs = RECONNECT_AFTER_MS
  while (!signal.aborted) {
    try {
      const requests = api.subscribe<ForwardedRequest | null>({
        ...{ query: SUBSCRIPTION, variables: { webhookId }, signal },
        onOpen() {
          waitMs = RECONNECT_AFTER_MS
          onConnected()
        },
      })
      for await (const request of requests) {
        // Null: another stream of this webhook has the request.
        if (request) onRequest(request)
      }
      onDisconnected(new Error('it closed the connection'))
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
      onDisconnected(error as Error)
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {})
    waitMs = Math.min(2 * waitMs, RECONNECT_AT_MOST_MS)
  }
}

/** Why the answer is not the result of the attempt. Null if it is. */
export async function sendAnswer(
  api: GraphqlApi,
  { id, timeLimitMs }: ForwardedRequest,
  answer: LocalAnswer,
): Promise<string | null> {
  if (answer.kind === 'timed out') return null
  const endsAt = performance.now() + Math.max(0, timeLimitMs - answer.durationMs)
  const variables = { id, input: inputOf(answer) }
  for (;;) {
    try {
      await api.run(ANSWER, variables)
      return null
    } catch (error) {
      if (isFinal(error) || performance.now() > endsAt) return (error as Error).message
      await sleep(RECONNECT_AFTER_MS)
    }
  }
}

function inputOf(answer: Exclude<LocalAnswer, { kind: 'timed out' }>) {
  const { kind, durationMs, ...rest } = answer
  if (!('status' in rest)) return { durationMs, ...rest }
  return { durationMs, response: { ...rest, body: rest.body.toString('base64') } }
}
