import { isUtf8 } from 'node:buffer'
import { readBodies } from '../../bodies/body.ts'
import type { Attempt } from '../../db/generated/prisma/client.ts'
import { publicId } from '../../db/ids.ts'
import { builder } from '../../graphql/builder.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import { LARGE_TEXT, MEDIUM_TEXT } from '../../graphql/limits/document-limits.ts'
import { MASK } from '../../webhooks/encrypted-headers.ts'

interface AttemptRequest {
  readonly url: string
  readonly deliveryId: string
  readonly startedAt: Date
  readonly requestHeaderNames: readonly string[] | null
  readonly requestHeaderPrefix: string | null
  readonly requestUserAgent: string | null
  readonly requestSignature: string | null
  /** Undefined once the delivery is past its retention. */
  readonly isTest: boolean | undefined
  /** Undefined once the event is past its retention. */
  readonly traceParent: string | null | undefined
  readonly traceState: string | null | undefined
}

type AttemptResponse = Pick<
  Attempt,
  'status' | 'responseHeaders' | 'responseBody' | 'responseBodyTruncated' | 'unkeptBodyBytes'
>

const BodyEncoding = enumOf('BodyEncoding', 'The encoding of a body in a response field.', {
  utf8: 'The body is text, decoded as UTF-8.',
  base64: 'The body is base64, because its bytes are not valid UTF-8.',
})

const AttemptRequest = builder.objectRef<AttemptRequest>('AttemptRequest').implement({
  description: 'The HTTPS request of an attempt.',
  fields: (t) => ({
    method: t.string({ description: 'Always `POST`.', resolve: () => 'POST' }),
    url: t.exposeString('url', {
      description: 'The URL of the request: that of the webhook, in its normal form.',
    }),
    headers: t.field({
      type: ['Header'],
      description:
        'The headers of the request, except `host` and `content-length`. The values of custom headers are masked as `•••`: they may be credentials and are not stored with the attempt.',
      resolve: attemptRequestHeaders,
    }),
    body: t.string({
      nullable: true,
      complexity: LARGE_TEXT,
      description:
        'The exact body. Null once the event is past its retention, erased, or not kept: `Delivery.payloadState` says which.',
      authScopes: { scope: 'events:read' },
      resolve: ({ deliveryId }, _args, context, info) =>
        context.perField(info, (uuids: string[]) => readBodies(context.sql, uuids))(deliveryId),
    }),
  }),
})

const AttemptResponseRef = builder.objectRef<AttemptResponse>('AttemptResponse').implement({
  description: 'The HTTP response of a receiver.',
  fields: (t) => ({
    status: t.int({
      description: 'The HTTP status code.',
      resolve: ({ status }) => status as number,
    }),
    headers: t.field({
      type: ['Header'],
      description:
        'The headers, with lower-case names. Values of repeated headers are joined. Values are read as UTF-8, or as Latin-1 if they are not valid UTF-8.',
      resolve: ({ responseHeaders }) =>
        Object.entries(responseHeaders ?? {}).map(([name, value]) => ({
          name,
          value: String(value),
        })),
    }),
    body: t.string({
      complexity: MEDIUM_TEXT,
      description: 'The first 16 KiB of the body, encoded as `bodyEncoding` says.',
      resolve: (response) => textOf(response) ?? bytesOf(response).toString('base64'),
    }),
    bodyEncoding: t.field({
      type: BodyEncoding,
      description: 'The encoding of `body`.',
      resolve: (response) => (textOf(response) === null ? 'base64' : 'utf8'),
    }),
    bodyTruncated: t.exposeBoolean('responseBodyTruncated', {
      description: 'Whether the body was longer than 16 KiB.',
    }),
    unkeptBodyBytes: t.exposeInt('unkeptBodyBytes', {
      nullable: true,
      description:
        'The size of the body, at most 16 KiB, if it is not kept: `keepResponseBodies` of the organization or the webhook was false. `body` is then empty. Null if it is kept.',
    }),
  }),
})

builder.prismaObjectFields('Attempt', (t) => ({
  request: t.field({
    type: AttemptRequest,
    description: 'The request that was sent.',
    // Any selection reads the body, once for all attempts of a delivery.
    complexity: { field: MEDIUM_TEXT, multiplier: 1 },
    select: {
      deliveryId: true,
      startedAt: true,
      requestUrl: true,
      requestSignature: true,
      requestHeaderNames: true,
      requestHeaderPrefix: true,
      requestUserAgent: true,
      requestTraceParent: true,
      delivery: {
        select: { isTest: true, event: { select: { traceParent: true, traceState: true } } },
      },
    },
    resolve: ({ delivery, requestUrl, requestTraceParent, ...facts }) => {
      // Either may be past its retention.
      const kept = delivery as typeof delivery | null
      const event = kept?.event as typeof delivery.event | null
      const traceParent = requestTraceParent ?? event?.traceParent
      const traceState = event?.traceState
      return { ...facts, url: requestUrl, isTest: kept?.isTest, traceParent, traceState }
    },
  }),
  response: t.field({
    type: AttemptResponseRef,
    nullable: true,
    description: 'The response. Null if there was none; `error` then says why.',
    select: {
      status: true,
      responseHeaders: true,
      responseBody: true,
      responseBodyTruncated: true,
      unkeptBodyBytes: true,
    },
    resolve: (attempt) => (attempt.status === null ? null : attempt),
  }),
}))

const bytesOf = ({ responseBody }: AttemptResponse) => Buffer.from(responseBody ?? [])

/** The body as text, without a character that truncation cut in half. Null if it is not UTF-8. */
function textOf(response: AttemptResponse): string | null {
  const bytes = bytesOf(response)
  for (const cut of response.responseBodyTruncated ? [0, 1, 2, 3] : [0]) {
    const whole = bytes.subarray(0, bytes.length - cut)
    if (isUtf8(whole)) return whole.toString('utf8')
  }
  return null
}

/**
 * The headers that Posthorn set on an attempt, in the order they were sent, without those of the connection (`host`,
 * `content-length`). The values of custom headers are masked: they can be credentials, so no attempt stores them.
 */
function attemptRequestHeaders(attempt: AttemptRequest) {
  const prefix = attempt.requestHeaderPrefix ?? 'wh-'
  const timestamp = Math.floor(attempt.startedAt.getTime() / 1_000)
  const headers: { name: string; value: string }[] = []
  const add = (name: string, value: string | null | undefined) => {
    if (value != null) headers.push({ name, value })
  }
  add('user-agent', attempt.requestUserAgent)
  add('accept-encoding', 'identity')
  // The mark of a test comes last, and has the prefix of the installation.
  const mark = attempt.isTest ? attempt.requestHeaderNames?.at(-1) : undefined
  for (const name of attempt.requestHeaderNames ?? []) add(name, name === mark ? 'true' : MASK)
  add('content-type', 'application/json')
  add(`${prefix}id`, publicId('delivery', attempt.deliveryId))
  add(`${prefix}timestamp`, String(timestamp))
  add(`${prefix}signature`, attempt.requestSignature)
  add('traceparent', attempt.traceParent)
  if (attempt.traceParent != null) add('tracestate', attempt.traceState)
  return headers
}
