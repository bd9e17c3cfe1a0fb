import { isUtf8 } from 'node:buffer'
import { selectIds } from '../db/select-ids.ts'
import { deliveryBody } from '../events/delivery-body.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { LARGE_TEXT, MEDIUM_TEXT } from '../graphql/limits/field-complexity.ts'
import type { RestrictedSession } from '../graphql/portal-access.ts'
import { type AttemptRequestColumns, attemptRequestHeaders } from './attempts/attempt-request.ts'
import { findAttemptsOfEach } from './attempts/find-attempts.ts'

interface AttemptRequest extends AttemptRequestColumns {
  readonly url: string
  readonly body: string | null
}

interface AttemptResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
  readonly bodyTruncated: boolean
}

const BodyEncoding = builder.enumType('BodyEncoding', {
  description: 'How the bytes of a body are written.',
  values: {
    UTF8: { value: 'utf8', description: 'As they read in UTF-8.' },
    BASE64: { value: 'base64', description: 'In base64, as they are no UTF-8.' },
  } as const,
})

const AttemptRequest = builder.objectRef<AttemptRequest>('AttemptRequest').implement({
  description: 'The request that was made for an attempt.',
  fields: (t) => ({
    method: t.string({ description: 'Always `POST`.', resolve: () => 'POST' }),
    url: t.exposeString('url', { description: 'The address it was sent to.' }),
    headers: t.field({
      type: ['Header'],
      description:
        'The headers it carried, but for those of the connection itself (`host`, `content-length`). The values of the custom headers of the webhook read `•••`: they may be credentials, and are not kept with the attempt.',
      resolve: (request) => attemptRequestHeaders(request),
    }),
    body: t.exposeString('body', {
      nullable: true,
      complexity: LARGE_TEXT,
      description:
        'The body, to the letter. Null once its event is past its retention. Needs the scope `events:read`.',
      authScopes: { scope: 'events:read' },
    }),
  }),
})

const AttemptResponse = builder.objectRef<AttemptResponse>('AttemptResponse').implement({
  description: 'What a receiver answered.',
  fields: (t) => ({
    status: t.exposeInt('status', { description: 'The HTTP status.' }),
    headers: t.field({
      type: ['Header'],
      description: 'The headers, by lower-case name. Repeated ones are joined.',
      resolve: ({ headers }) =>
        Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })),
    }),
    body: t.string({
      complexity: MEDIUM_TEXT,
      description:
        'The body, of which the first 16 KiB are kept; `bodyEncoding` says how it is written.',
      resolve: (response) => textOf(response) ?? response.body.toString('base64'),
    }),
    bodyEncoding: t.field({
      type: BodyEncoding,
      description: 'How `body` is written.',
      resolve: (response) => (textOf(response) === null ? 'base64' : 'utf8'),
    }),
    bodyTruncated: t.exposeBoolean('bodyTruncated', {
      description: 'Whether the body was longer than what is kept.',
    }),
  }),
})

const Attempt = builder.prismaNode('Attempt', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, organizationId: callerOf(context).organizationId }),
  nullable: true,
  extensions: { readScope: 'deliveries:read', ofWebhook: attemptsOfWebhook },
  select: { id: true },
  fields: (t) => ({
    delivery: t.relation('delivery', {
      // Null once it is past its retention: attempts are made later, and are kept that much longer.
      nullable: true,
      description: 'What it was made for. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
    }),
    number: t.exposeInt('number'),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    succeeded: t.exposeBoolean('succeeded'),
    durationMs: t.exposeInt('durationMs'),
    firstByteMs: t.exposeInt('firstByteMs', { nullable: true }),
    waitedMs: t.exposeInt('waitedMs'),
    resent: t.exposeBoolean('resent'),
    status: t.exposeInt('status', { nullable: true }),
    errorCode: t.exposeString('errorCode', { nullable: true }),
    error: t.exposeString('error', { nullable: true }),
    request: t.field({
      type: AttemptRequest,
      description: 'The exact request.',
      // The body is read whatever is asked for, once for all attempts of a delivery.
      complexity: { field: MEDIUM_TEXT, multiplier: 1 },
      select: {
        deliveryId: true,
        startedAt: true,
        requestUrl: true,
        requestSignature: true,
        requestHeaderNames: true,
        requestHeaderPrefix: true,
        requestUserAgent: true,
        delivery: { select: { event: true } },
      },
      resolve: ({ delivery, requestUrl, ...facts }) => {
        // Either may be past its retention.
        const event = (delivery as typeof delivery | null)?.event as typeof delivery.event | null
        const body = event && deliveryBody(event)
        return { ...facts, url: requestUrl, body, traceParent: event?.traceParent }
      },
    }),
    response: t.field({
      type: AttemptResponse,
      nullable: true,
      description: 'The response. Null when there was none; then `error` says why.',
      select: {
        status: true,
        responseHeaders: true,
        responseBody: true,
        responseBodyTruncated: true,
      },
      resolve: ({ status, responseHeaders, responseBody, responseBodyTruncated }) =>
        status === null
          ? null
          : {
              status,
              headers: (responseHeaders ?? {}) as Record<string, unknown>,
              body: Buffer.from(responseBody ?? []),
              bodyTruncated: responseBodyTruncated,
            },
    }),
  }),
})

builder.prismaObjectField('Delivery', 'attempts', (t) =>
  t.prismaConnection(
    {
      type: 'Attempt',
      cursor: 'id',
      nullable: true,
      description:
        'The requests that were made for it, oldest first. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { id }, _args, context, info) =>
        context.perField(info, (ids: string[]) => findAttemptsOfEach(context, ids, query))(id),
    },
    builder.connectionObject(
      { type: Attempt, name: 'AttemptConnection', description: 'A page of attempts.' },
      { name: 'AttemptEdge', description: 'An attempt in a page.' },
    ),
  ),
)

/** The body as text, without the half of a character that it may have been cut off in; null when it is no UTF-8. */
function textOf({ body, bodyTruncated }: AttemptResponse): string | null {
  for (const cut of bodyTruncated ? [0, 1, 2, 3] : [0]) {
    const whole = body.subarray(0, body.length - cut)
    if (isUtf8(whole)) return whole.toString('utf8')
  }
  return null
}

function attemptsOfWebhook({ webhookId, context }: RestrictedSession, uuids: readonly string[]) {
  return selectIds(
    context.sql,
    'select id from posthorn.attempts where webhook_id = $1 and id = any ($2::uuid[])',
    [webhookId, uuids],
  )
}
