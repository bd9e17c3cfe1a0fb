import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { invalid } from '../lib/errors.ts'
import { createWebhookOnce, findCreatedWebhook } from './create-webhook-once.ts'
import { rereadWebhook } from './find-webhooks.ts'
import { SEND_OPTION_DESCRIPTIONS } from './send-option-descriptions.ts'
import { createWebhook, deleteWebhook, updateWebhook, type WebhookDeps } from './webhook.ts'

const HeaderInput = builder.inputType('HeaderInput', {
  description: 'One custom header.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'A name that HTTP allows, not repeated in another case. Refused are `wh-*`, `webhook-*` and whatever else the names of the delivery headers begin with (POSTHORN_HEADER_PREFIX), `content-*`, `proxy-*`, `host`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate` and those of the connection.',
    }),
    value: t.string({
      required: true,
      description: 'Visible ASCII, with spaces and tabs inside only.',
    }),
  }),
})

const URL_RULE =
  'an HTTPS address of at most 2,048 characters, to a public host, on port 443 or one from 1024 up, without user name, password and fragment.'
const EVENT_SUBSCRIPTIONS =
  'The names of the event types to receive: at least one, all of them in the catalogue. Repeated names collapse.'
const HEADERS =
  'Static headers added to every delivery: at most 32, of 8 KiB in all. They are encrypted at rest.'

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

function sendOptions(t: InputFields) {
  const description = SEND_OPTION_DESCRIPTIONS
  return {
    rateLimitPerSecond: t.int({ description: description.rateLimitPerSecond }),
    maxInFlight: t.int({ description: description.maxInFlight }),
    retryScheduleSeconds: t.intList({ description: description.retryScheduleSeconds }),
    timeoutSeconds: t.int({ description: description.timeoutSeconds }),
    ordered: t.boolean({ description: description.ordered }),
  }
}

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A webhook to register.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description: `Where deliveries are POSTed to: ${URL_RULE}`,
    }),
    eventSubscriptions: t.stringList({ required: true, description: EVENT_SUBSCRIPTIONS }),
    description: t.string({ description: 'A free label of at most 1,000 characters.' }),
    enabled: t.boolean({ defaultValue: false, description: 'Whether to deliver.' }),
    headers: t.field({ type: [HeaderInput], description: HEADERS }),
    ...sendOptions(t),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description:
    'What to change of a webhook. A field that is left out stays as it is; null sets an option of sending back to its default.',
  fields: (t) => ({
    url: t.string({ description: `Where deliveries are POSTed to: ${URL_RULE}` }),
    eventSubscriptions: t.stringList({ description: EVENT_SUBSCRIPTIONS }),
    description: t.string({ description: 'At most 1,000 characters; null for none.' }),
    enabled: t.boolean({ description: 'Switching it on also sends what waited meanwhile.' }),
    headers: t.field({
      type: [HeaderInput],
      description: `${HEADERS} They replace all; null for none.`,
    }),
    ...sendOptions(t),
  }),
})

builder.mutationFields((t) => ({
  createWebhook: t.prismaField({
    type: 'Webhook',
    nullable: true,
    description:
      'Registers a webhook and makes its signing secret. Needs the scope `webhooks:write`; reading the secret needs `secrets:read`.',
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField: { name: 'webhook', description: 'The new webhook.' },
      result: { description: 'The webhook was registered.' },
      union: { description: 'What `createWebhook` answers with.' },
    },
    args: {
      input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }),
      idempotencyKey: t.arg.string({
        description:
          '1 to 255 characters, remembered for 24 hours: a repetition with the same input registers nothing and answers with the webhook of the first call, as it is now.',
      }),
    },
    resolve: async (query, _root, { input, idempotencyKey }, context) => {
      const { organizationId } = callerOf(context)
      const { enabled, ...fields } = withHeadersByName(input)
      // Null, as of an unset variable, means the default.
      const webhook = { ...fields, ...(typeof enabled === 'boolean' && { enabled }) }
      if (typeof idempotencyKey === 'string') {
        const id = await createWebhookOnce(
          actingAs(context),
          organizationId,
          webhook,
          idempotencyKey,
        )
        return await findCreatedWebhook(context.prisma, organizationId, id, query)
      }
      const { id } = await createWebhook(actingAs(context), organizationId, webhook)
      return await rereadWebhook(context.prisma, organizationId, id, query)
    },
  }),

  updateWebhook: t.prismaField({
    type: 'Webhook',
    nullable: true,
    description: 'Changes a webhook. Needs the scope `webhooks:write`.',
    authScopes: { scope: 'webhooks:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [ValidationError, NotFoundError],
      dataField: { name: 'webhook', description: 'The webhook after the change.' },
      result: { description: 'The webhook was changed.' },
      union: { description: 'What `updateWebhook` answers with.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What to change.' }),
    },
    resolve: async (query, _root, { id, input }, context) => {
      const { organizationId } = callerOf(context)
      // The domain refuses what is null and may not be, and says so.
      const changes = withHeadersByName(input) as Parameters<typeof updateWebhook>[3]
      await updateWebhook(actingAs(context), organizationId, id, changes)
      return await rereadWebhook(context.prisma, organizationId, id, query)
    },
  }),

  deleteWebhook: t.field({
    type: 'ID',
    nullable: true,
    description:
      'Removes a webhook for good, with its secrets and headers. Deliveries still pending are canceled. Needs the scope `webhooks:write`.',
    authScopes: { scope: 'webhooks:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [NotFoundError],
      dataField: { name: 'id', description: 'The id it had.' },
      result: { description: 'The webhook was removed.' },
      union: { description: 'What `deleteWebhook` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
    resolve: async (_root, { id }, context) => {
      await deleteWebhook(actingAs(context), callerOf(context).organizationId, id)
      return id
    },
  }),
}))

interface WithHeaders {
  readonly headers?: readonly { readonly name: string; readonly value: string }[] | null | undefined
}

/** As the domain knows headers: values by name. A name given twice to the letter must be told before it is lost. */
function withHeadersByName<Input extends WithHeaders>(
  input: Input,
): Omit<Input, 'headers'> & { headers?: Record<string, string> | null } {
  const { headers, ...fields } = input
  if (!headers) return headers === undefined ? fields : { ...fields, headers }
  const issues = headers.flatMap(({ name }, index) =>
    headers.findIndex((other) => other.name === name) === index
      ? []
      : [
          {
            path: ['headers', index, 'name'],
            code: 'duplicate_header',
            detail: `headers name ${JSON.stringify(name)} twice.`,
          },
        ],
  )
  if (issues.length > 0) throw invalid(issues)
  return { ...fields, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }
}

/** Names the caller as the actor in the audit log. */
function actingAs({ webhooks, actor }: Context): WebhookDeps {
  return { ...webhooks, actor }
}
