import { builder } from '../../graphql/builder.ts'
import { callerOf } from '../../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../../graphql/errors.ts'
import { changesNode } from '../../graphql/portal-access.ts'
import { phasesOf } from '../attempts/attempt-phases.ts'
import { describeOutcome } from '../attempts/describe-outcome.ts'
import { type CopySender, MAX_COPIES_PER_MINUTE } from './copy-sender.ts'
import { type DeliveryCopy as Copy, sendCopy } from './send-copy.ts'

declare module '../../graphql/context.ts' {
  interface DomainDeps {
    readonly copySender: CopySender
  }
}

const DeliveryCopy = builder.objectRef<Copy>('DeliveryCopy').implement({
  description:
    'A copy of a delivery that was sent to another URL, and the answer. Nothing of it is stored but an entry in the audit log.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description: 'The URL that the copy was sent to, as the URL standard normalizes it.',
    }),
    sentAt: t.field({
      type: 'DateTime',
      description: 'When the request started.',
      resolve: ({ sentAt }) => sentAt,
    }),
    durationMs: t.int({
      description:
        'The time from the start of connecting to the end of the request, in milliseconds.',
      resolve: ({ outcome }) => outcome.durationMs,
    }),
    phases: t.field({
      type: 'AttemptPhases',
      description: 'Where the time went.',
      resolve: ({ outcome }) => {
        const answer = outcome.kind === 'answered' ? outcome : null
        const none = { lookupMs: null, connectMs: null, tlsMs: null }
        return phasesOf({
          ...(outcome.connection ?? none),
          durationMs: outcome.durationMs,
          firstByteMs: answer?.firstByteMs ?? null,
          status: answer?.status ?? null,
        })
      },
    }),
    response: t.field({
      type: 'AttemptResponse',
      nullable: true,
      description: 'The response. Null if there was none; `error` then says why.',
      resolve: ({ outcome }) => (outcome.kind === 'answered' ? outcome : null),
    }),
    errorCode: t.string({
      nullable: true,
      description:
        'The kind of failure without a response, such as `address_not_public`. Null if there was a response.',
      resolve: ({ outcome }) => describeOutcome(outcome)?.code,
    }),
    error: t.string({
      nullable: true,
      description: 'Why there was no response, in plain words. Null if there was one.',
      resolve: ({ outcome }) => describeOutcome(outcome)?.reason,
    }),
  }),
})

const SendDeliveryCopyInput = builder.inputType('SendDeliveryCopyInput', {
  description: 'Where to send a copy of a delivery.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'An HTTPS URL with a public address, as for a webhook: up to 2,048 characters, port 443 or at least 1024.',
    }),
  }),
})

builder.mutationField('sendDeliveryCopy', (t) =>
  t.field({
    type: DeliveryCopy,
    nullable: true,
    description: `Sends the body of a delivery once to another URL, such as that of a receiver in development, and returns the answer. A copy is not an attempt: it changes nothing about the delivery. It has the headers \`wh-id\` and \`wh-timestamp\`, and that of a test also \`wh-test\`, but no signature, because no URL but the webhook's gets one, and no custom headers, because they can be credentials. The address guard applies. Connecting may take 5 s, and the answer 10 s. At most ${MAX_COPIES_PER_MINUTE} copies per minute and organization in each process; then the error has the code \`RATE_LIMITED\`. Audited as \`delivery.copied\`.`,
    authScopes: { scope: ['deliveries:write', 'events:read'] },
    portal: changesNode('delivery'),
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      dataField: { name: 'copy', description: 'The copy with its answer.' },
      result: { description: 'The copy was sent, or it was tried.' },
      union: { description: 'The result of `sendDeliveryCopy`.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the delivery: `msg_…`.' }),
      input: t.arg({ type: SendDeliveryCopyInput, required: true, description: 'The URL.' }),
    },
    resolve: async (_root, { id, input }, context) =>
      await sendCopy(context, callerOf(context).organizationId, id, input.url),
  }),
)
