import { hasScope } from '../access/scope.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { LARGE_TEXT } from '../graphql/limits/field-complexity.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { MASK } from '../webhooks/mask.ts'
import { configureTestReceiver } from './configure-test-receiver.ts'
import { forgetErased } from './forget-erased.ts'
import {
  MAX_BODY_BYTES,
  MAX_BYTES,
  MAX_REQUESTS,
  type ReceivedRequest,
} from './received-requests.ts'
import { MAX_TIMES } from './response-behavior.ts'
import type { TestReceiver } from './test-receiver.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** Only in embedded mode. */
    readonly testReceiver?: TestReceiver | null
  }
}

const TestReceiverResponse = builder.enumType('TestReceiverResponse', {
  description: 'How the test receiver responds to a delivery with a valid signature.',
  values: {
    ACCEPT: { value: 'accept', description: 'With 200.' },
    FAIL: { value: 'fail', description: 'With 500.' },
    GONE: { value: 'gone', description: 'With 410.' },
    TIME_OUT: { value: 'time-out', description: 'Not at all, so the attempt times out.' },
  } as const,
})

const TestReceiverRequest = builder.objectRef<ReceivedRequest>('TestReceiverRequest').implement({
  description: 'A request that arrived at the test receiver.',
  fields: (t) => ({
    number: t.exposeInt('number', {
      description: 'Counts up with each request, since the server started.',
    }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime', description: 'When it arrived.' }),
    deliveryId: t.exposeID('deliveryId', {
      nullable: true,
      description: 'The header `wh-id`: `msg_…`. Null without it.',
    }),
    webhookId: t.exposeID('webhookId', {
      nullable: true,
      description: 'The webhook: `wh_…`. Null if the organization has no such delivery.',
    }),
    headers: t.field({
      type: ['Header'],
      description:
        'The headers, with lower-case names. The values of custom headers are masked as `•••` without the scope `secrets:read`, because they may be credentials.',
      resolve: ({ headers }, _args, context) => {
        const revealed = hasScope(callerOf(context), 'secrets:read')
        return headers.map(({ name, value, isCustom }) => ({
          name,
          value: isCustom && !revealed ? MASK : value,
        }))
      },
    }),
    body: t.exposeString('body', {
      complexity: LARGE_TEXT,
      description: `The first ${MAX_BODY_BYTES.toLocaleString('en')} bytes of the body, as UTF-8.`,
    }),
    bodyTruncated: t.exposeBoolean('bodyTruncated', {
      description: 'Whether the body was longer.',
    }),
    signatureIsValid: t.exposeBoolean('signatureIsValid', {
      description:
        'Whether the signature matches a secret of the webhook, and the timestamp is at most 5 minutes off.',
    }),
    signatureProblem: t.exposeString('signatureProblem', {
      nullable: true,
      description: 'Why the signature is not valid, in English. Null for a valid signature.',
    }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The status of the response. Null if there is no response.',
    }),
  }),
})

/** The receiver, for one organization. */
const TestReceiverType = builder
  .objectRef<{ readonly receiver: TestReceiver; readonly organizationId: string }>('TestReceiver')
  .implement({
    description:
      'A receiver that is part of embedded mode, to see deliveries arrive. It keeps requests in memory.',
    fields: (t) => ({
      url: t.string({
        description:
          'The URL for webhooks of the organization: `https://localhost:<port>/org_…`. Only Posthorn itself trusts its certificate.',
        resolve: ({ receiver, organizationId }) => receiver.urlOf(organizationId),
      }),
      respondsWith: t.field({
        type: TestReceiverResponse,
        description: 'How it responds to the next delivery.',
        resolve: ({ receiver, organizationId }) => receiver.inboxOf(organizationId).behavior.kind,
      }),
      remaining: t.int({
        nullable: true,
        description:
          'The number of deliveries that get this response before the receiver accepts again. Null: until it is changed.',
        resolve: ({ receiver, organizationId }) =>
          receiver.inboxOf(organizationId).behavior.remaining,
      }),
      requests: t.field({
        type: [TestReceiverRequest],
        description: `The last ${MAX_REQUESTS} requests, newest first; fewer if those of all organizations take more than ${MAX_BYTES / 2 ** 20} MiB. Requests without a valid signature make room first. Those of erased deliveries have no headers and no body.`,
        complexity: { field: 1, multiplier: MAX_REQUESTS },
        resolve: async ({ receiver, organizationId }, _args, { sql }) => {
          const inbox = receiver.inboxOf(organizationId)
          await forgetErased(sql, inbox)
          return [...inbox.requests]
        },
      }),
    }),
  })

organizationFields((t) => ({
  testReceiver: t.field({
    type: TestReceiverType,
    nullable: true,
    description:
      'The test receiver. Null outside of embedded mode, and if deliveries to this machine are not allowed.',
    authScopes: { scope: 'events:read' },
    resolve: (organization, _args, context) => {
      const organizationId = organizationOf(organization, context)
      const { testReceiver } = context
      return testReceiver ? { receiver: testReceiver, organizationId } : null
    },
  }),
}))

const ConfigureTestReceiverInput = builder.inputType('ConfigureTestReceiverInput', {
  description: 'How the test receiver shall respond.',
  fields: (t) => ({
    respondWith: t.field({
      type: TestReceiverResponse,
      description: 'The response. Default: unchanged.',
    }),
    times: t.int({
      description: `The number of deliveries that get this response: 1 to ${MAX_TIMES.toLocaleString('en')}. Default: all, until it is changed.`,
    }),
    clear: t.boolean({ description: 'Whether to forget the requests so far. Default: false.' }),
  }),
})

builder.mutationField('configureTestReceiver', (t) =>
  t.field({
    type: TestReceiverType,
    nullable: true,
    description:
      'Changes how the test receiver of embedded mode responds to the deliveries of the organization.',
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [NotFoundError, ValidationError],
      dataField: { name: 'testReceiver', description: 'The test receiver.' },
      result: { description: 'The test receiver was configured.' },
      union: { description: 'The result of `configureTestReceiver`.' },
    },
    args: {
      input: t.arg({
        type: ConfigureTestReceiverInput,
        required: true,
        description: 'How it shall respond.',
      }),
    },
    resolve: (_root, { input }, context) => {
      const { organizationId } = callerOf(context)
      const receiver = configureTestReceiver(context.testReceiver, organizationId, input)
      return { receiver, organizationId }
    },
  }),
)
