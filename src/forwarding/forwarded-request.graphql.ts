import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, ValidationError } from '../graphql/errors.ts'
import { LARGE_TEXT } from '../graphql/limits/field-complexity.ts'
import { openStream } from '../graphql/live-stream.ts'
import type { StreamItem } from '../live/subscriber.ts'
import { extendWhileOpen } from './extend-while-open.ts'
import {
  answerForwardedRequest,
  type ForwardedRequest,
  fetchForwardedRequest,
} from './forwarded-request.ts'
import { extendForwarding } from './forwarded-webhook.ts'
import { forwardedTopic, type UnfetchedRequest } from './waiting-requests.ts'

const ForwardedRequestRef = builder.objectRef<ForwardedRequest>('ForwardedRequest').implement({
  description:
    'The signed request of an attempt to a temporary webhook. The client sends it to a local server and answers with `answerForwardedRequest`.',
  fields: (t) => ({
    id: t.id({ description: 'The id of the request: `fwd_…`.', resolve: ({ id }) => id }),
    deliveryId: t.id({
      description: 'The id of the delivery: `msg_…`.',
      resolve: ({ deliveryId }) => deliveryId,
    }),
    headers: t.field({
      type: ['Header'],
      description:
        'The headers in their order, except `host`, `content-length` and `connection`, which the client sets.',
      resolve: ({ headers }) => [...headers],
    }),
    body: t.string({
      complexity: LARGE_TEXT,
      description: 'The exact bytes of the body, in base64.',
      resolve: ({ body }) => body.toString('base64'),
    }),
    timeLimitMs: t.exposeInt('timeLimitMs', {
      description: 'How long the attempt waits for the answer, in milliseconds from now.',
    }),
  }),
})

builder.subscriptionField('requestForwarded', (t) =>
  t.field({
    type: ForwardedRequestRef,
    nullable: true,
    description:
      'Emits the request of each attempt to a temporary webhook, once: a request goes to one subscription only. Null if another subscription got it. A client that is not connected misses an attempt after 5 s; such an attempt fails as `forwarding_disconnected` and is retried. While the subscription is open, the webhook does not expire; once it has expired or was deleted, the error has the code `NOT_FOUND`. Needs the scope `webhooks:write`.',
    authScopes: { scope: 'webhooks:write' },
    args: {
      webhookId: t.arg.id({
        required: true,
        description: 'The id of the temporary webhook: `wh_…`.',
      }),
    },
    subscribe: async (_root, { webhookId }, context) => {
      const { organizationId } = callerOf(context)
      const extend = () => extendForwarding(context.sql, organizationId, webhookId)
      await extend()
      const stream = await openStream(context, { topic: forwardedTopic, webhookId })
      return extendWhileOpen(stream, extend) as never
    },
    resolve: async (parent, _args, context) => {
      const { item } = parent as unknown as StreamItem<UnfetchedRequest>
      const { keyring } = context.webhooks
      const { organizationId } = callerOf(context)
      return await fetchForwardedRequest(
        { sql: context.sql, keyring },
        organizationId,
        item.requestId,
      )
    },
  }),
)

const ResponseHeaderInput = builder.inputType('ResponseHeaderInput', {
  description: 'A header of a response.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name.' }),
    value: t.string({ required: true, description: 'The value.' }),
  }),
})

const ForwardedResponseInput = builder.inputType('ForwardedResponseInput', {
  description: 'The response of the local server.',
  fields: (t) => ({
    status: t.int({ required: true, description: 'The HTTP status, 200 to 599.' }),
    headers: t.field({
      type: [ResponseHeaderInput],
      required: true,
      description: 'The headers: at most 200, and 16 KiB in total.',
    }),
    body: t.string({
      required: true,
      description: 'The first 16 KiB of the body, in base64.',
    }),
    bodyTruncated: t.boolean({
      required: true,
      description: 'Whether the body was longer, or was cut off.',
    }),
    firstByteMs: t.int({
      required: true,
      description: 'The time from the start of connecting to the status line, in milliseconds.',
    }),
  }),
})

const AnswerForwardedRequestInput = builder.inputType('AnswerForwardedRequestInput', {
  description: 'The result of a forwarded request: either `response` or `errorCode`.',
  fields: (t) => ({
    durationMs: t.int({
      required: true,
      description:
        'The time from the start of connecting to the end of the response, or to the error, in milliseconds. It is the duration of the attempt.',
    }),
    response: t.field({ type: ForwardedResponseInput, description: 'The response, if any.' }),
    errorCode: t.string({
      description:
        'The code of the error if there was no response, such as `ECONNREFUSED` for a local server that does not run. The attempt then fails as with any endpoint, here as `connection_refused`.',
    }),
  }),
})

builder.mutationField('answerForwardedRequest', (t) =>
  t.field({
    type: 'ID',
    nullable: true,
    description:
      'Makes the result of a forwarded request the result of its attempt: 2xx is a success, and everything else is retried by the schedule of the webhook. Refused as a `ConflictError` after the time limit of the request, and if it was answered before. Needs the scope `webhooks:write`.',
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField: { name: 'id', description: 'The id of the request.' },
      result: { description: 'The answer is the result of the attempt.' },
      union: { description: 'The result of `answerForwardedRequest`.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the request: `fwd_…`.' }),
      input: t.arg({
        type: AnswerForwardedRequestInput,
        required: true,
        description: 'The result.',
      }),
    },
    resolve: async (_root, { id, input }, context) => {
      await answerForwardedRequest(context.sql, callerOf(context).organizationId, id, input)
      return id
    },
  }),
)
