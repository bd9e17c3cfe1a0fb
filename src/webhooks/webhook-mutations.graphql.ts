import { type Caller, hasScope } from '../access/scope.ts'
import { EditConflict } from '../audit/edit-conflict.ts'
import { IF_REVISION } from '../audit/if-revision.ts'
import { type GivenFilter, textOfFilter } from '../filters/given-filter.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import { METADATA_RULE } from '../own-names/metadata.ts'
import { UID_RULE } from '../own-names/uid.ts'
import { upsertedFields } from '../own-names/upserted-fields.ts'
import { KEEP_PAYLOADS, KEEP_RESPONSE_BODIES, OF_WEBHOOK } from '../retention/descriptions.ts'
import { createWebhookOnce, findCreatedWebhook } from './create-webhook-once.ts'
import { EndpointUnverified } from './endpoint/endpoint-unverified.ts'
import { rereadWebhook } from './find-webhooks.ts'
import { repeatedNames } from './header-changes.ts'
import { requireSecretScope } from './require-secret-scope.ts'
import { SEND_OPTION_DESCRIPTIONS, VERIFY_ENDPOINT } from './send-option-descriptions.ts'
import { SIGNING_SECRET_RULE } from './signing-secret-rule.ts'
import { upsertWebhook } from './upsert-webhook.ts'
import { type ActingWebhookDeps, createWebhook, deleteWebhook, updateWebhook } from './webhook.ts'
import type { NewWebhook, WebhookChanges } from './webhook-fields.ts'

const HEADER_NAME =
  'A valid HTTP header name, unique regardless of case. Not allowed: `wh-*`, `webhook-*`, the prefix of the delivery headers (POSTHORN_HEADER_PREFIX), `content-*`, `proxy-*`, `host`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate`, connection headers, and these names with `_` for `-`.'
const HEADER_VALUE =
  'Visible ASCII characters. Spaces and tabs are allowed, but not at the start or end.'

const HeaderInput = builder.inputType('HeaderInput', {
  description: 'A custom header.',
  fields: (t) => ({
    name: t.string({ required: true, description: HEADER_NAME }),
    value: t.string({ required: true, description: HEADER_VALUE }),
  }),
})

const UpdateHeaderInput = builder.inputType('UpdateHeaderInput', {
  description: 'A custom header of a webhook that is updated.',
  fields: (t) => ({
    name: t.string({ required: true, description: HEADER_NAME }),
    value: t.string({
      description: `${HEADER_VALUE} Omitted or null: the header keeps its stored value, which the caller need not know.`,
    }),
    previousName: t.string({
      description:
        'To rename a header without its value: the name whose stored value to keep, regardless of case. Ignored if a value is given. Default: `name`.',
    }),
  }),
})

const URL_RULE =
  'an HTTPS URL of at most 2,048 characters, with a public host, port 443 or a port from 1024, and without user name, password or fragment.'
const EVENT_SUBSCRIPTIONS =
  'What to receive: at least one name of an event type of the catalogue, or pattern, such as `order.*` for all types whose names begin with `order.`, or `*` for all. Patterns include types that come later, and never operational events. Duplicates are removed.'
const HEADERS =
  'Static headers added to every delivery: at most 32, and 8 KiB in total. They are encrypted at rest. Use hyphens in names: nginx, gunicorn and other servers drop headers with an underscore.'

const FILTER =
  'The filter: what the webhook asks of the `data` of an event, and of its `previous` data, before a delivery is created, as JSON: `{ "path": "$.total", "op": "greater", "value": 100 }`, or `all` or `any` with a list of filters, or `not` with one. At most 20 conditions on 8 levels, with values of at most 1,024 bytes. Operators: `equals`, `in`, `exists`, `less`, `lessOrEqual`, `greater`, `greaterOrEqual` (numbers, and RFC 3339 times), `startsWith`, `contains` (texts), `has` (an item of an array), `changed` (differs from `previous`; no value). A value of another type is never equal. The path `$.items[*].sku` means some item. docs/guides/filters.md defines every case.'
const FILTER_TEXT =
  'The filter as the text of its JSON, which keeps every digit of its numbers, such as 9007199254740993. Not together with `filter`.'

const SELECTION =
  'GraphQL on the event graph, such as `{ ... on OrderPaid { order { id total } } }`: the `data` of the body is then what the document selects. At most 16 KiB. Not together with `template`. docs/guides/event-graph.md has the rules.'
const TEMPLATE =
  'JSON with placeholders, such as `{ "text": "Paid: {{ $.order.id }}" }`: the whole body, for programs that expect their own, such as Slack. At most 32 KiB. Not together with `selection`. docs/guides/templates.md has the rules.'

const UID = `A name of your choice, unique in the organization: ${UID_RULE}. Not for sessions.`
const METADATA = `Labels of your choice: ${METADATA_RULE}. Not for sessions.`

const OWN_SECRET = `The signing secret: ${SIGNING_SECRET_RULE}. Needs the scope \`secrets:rotate\`.`

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

function keepRules(t: InputFields) {
  return {
    keepResponseBodies: t.boolean({
      description: `${KEEP_RESPONSE_BODIES} ${OF_WEBHOOK} Default: true.`,
    }),
    keepPayloads: t.boolean({ description: `${KEEP_PAYLOADS} ${OF_WEBHOOK} Default: true.` }),
  }
}

function sendOptions(t: InputFields) {
  const description = SEND_OPTION_DESCRIPTIONS
  return {
    rateLimitPerSecond: t.int({ description: description.rateLimitPerSecond }),
    maxInFlight: t.int({ description: description.maxInFlight }),
    retryScheduleSeconds: t.intList({ description: description.retryScheduleSeconds }),
    timeoutSeconds: t.int({ description: description.timeoutSeconds }),
    ordered: t.boolean({ description: description.ordered }),
    headerPrefix: t.string({ description: description.headerPrefix }),
    verifyEndpoint: t.boolean({ description: `${VERIFY_ENDPOINT} Not for sessions.` }),
  }
}

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A webhook to register.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description: `The URL that deliveries are POSTed to: ${URL_RULE}`,
    }),
    eventSubscriptions: t.stringList({ required: true, description: EVENT_SUBSCRIPTIONS }),
    description: t.string({
      description: 'A description of at most 1,000 characters. Default: none.',
    }),
    enabled: t.boolean({
      defaultValue: false,
      description: 'Whether the webhook receives deliveries. Default: false.',
    }),
    headers: t.field({ type: [HeaderInput], description: `${HEADERS} Default: none.` }),
    filter: t.field({ type: 'JSON', description: `${FILTER} Default: none.` }),
    filterText: t.string({ description: FILTER_TEXT }),
    selection: t.string({ description: `${SELECTION} Default: the whole event.` }),
    template: t.string({ description: `${TEMPLATE} Default: the whole event.` }),
    uid: t.string({ description: `${UID} Default: none.` }),
    metadata: t.field({ type: 'JSON', description: `${METADATA} Default: none.` }),
    ...keepRules(t),
    ...sendOptions(t),
    secret: t.string({ description: `${OWN_SECRET} Default: Posthorn makes one.` }),
    idempotencyKey: t.string({
      description:
        '1 to 255 characters, valid for 24 hours. Repeating the call with the same input creates nothing and returns the existing webhook. Default: none.',
    }),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description:
    'Changes to a webhook. Omitted fields keep their values. Null resets a delivery option to its default.',
  fields: (t) => ({
    url: t.string({
      description: `The URL that deliveries are POSTed to: ${URL_RULE} Another origin needs the values of the headers again, or the scope \`secrets:read\`.`,
    }),
    eventSubscriptions: t.stringList({ description: EVENT_SUBSCRIPTIONS }),
    description: t.string({
      description: 'A description of at most 1,000 characters. Null removes it.',
    }),
    enabled: t.boolean({
      description:
        'Whether the webhook receives deliveries. Enabling it also releases the deliveries parked while it was disabled.',
    }),
    headers: t.field({
      type: [UpdateHeaderInput],
      description: `${HEADERS} They replace all existing headers: an existing header that is not in the list is removed. A header without a value keeps its stored value; if there is none, its issue has the code \`unknown_header\`. Null removes all.`,
    }),
    filter: t.field({ type: 'JSON', description: `${FILTER} Null removes the filter.` }),
    filterText: t.string({ description: FILTER_TEXT }),
    selection: t.string({ description: `${SELECTION} Replaces a template. Null: none.` }),
    template: t.string({ description: `${TEMPLATE} Replaces a selection. Null: none.` }),
    uid: t.string({ description: `${UID} Null removes it.` }),
    metadata: t.field({
      type: 'JSON',
      description: `${METADATA} Replaces all labels. Null removes them.`,
    }),
    ...keepRules(t),
    ...sendOptions(t),
    ifRevision: t.int({ description: IF_REVISION }),
  }),
})

const UpsertWebhookInput = builder.inputType('UpsertWebhookInput', {
  description:
    'What the webhook with the uid is to be. Omitted fields keep their values, or have the default in a new webhook. Null is the default.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description: `The URL that deliveries are POSTed to: ${URL_RULE} Another origin needs the headers again, or the scope \`secrets:read\`.`,
    }),
    eventSubscriptions: t.stringList({ required: true, description: EVENT_SUBSCRIPTIONS }),
    description: t.string({ description: 'A description of at most 1,000 characters.' }),
    enabled: t.boolean({
      description: 'Whether the webhook receives deliveries. A new webhook: false.',
    }),
    headers: t.field({
      type: [HeaderInput],
      description: `${HEADERS} They replace all existing headers.`,
    }),
    filter: t.field({ type: 'JSON', description: FILTER }),
    filterText: t.string({ description: FILTER_TEXT }),
    selection: t.string({ description: `${SELECTION} Replaces a template.` }),
    template: t.string({ description: `${TEMPLATE} Replaces a selection.` }),
    metadata: t.field({ type: 'JSON', description: `${METADATA} Replaces all labels.` }),
    ...keepRules(t),
    ...sendOptions(t),
    secret: t.string({
      description: `${OWN_SECRET} Only of a new webhook: an existing one keeps its secret. Default: Posthorn makes one.`,
    }),
  }),
})

builder.mutationFields((t) => ({
  createWebhook: t.prismaField({
    type: 'Webhook',
    description:
      'Registers a webhook and creates its signing secret. Reading the secret also needs `secrets:read`.',
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [EndpointUnverified, ValidationError, ConflictError],
      dataField: { name: 'webhook', description: 'The new webhook.' },
    },
    args: {
      input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }),
    },
    resolve: async (query, _root, { input: { idempotencyKey, ...input } }, context) => {
      const caller = callerOf(context)
      const { organizationId } = caller
      refuseOwnNames(caller, input)
      requireSecretScope(caller, input)
      const { enabled, headers, filter, filterText, ...fields } = input
      const webhook = {
        ...fields,
        ...filterOf({ filter, filterText }),
        // Null, for example from an unset variable, means the default.
        ...(typeof enabled === 'boolean' && { enabled }),
        ...(headers && { headers: valuesByName(headers) }),
      } as NewWebhook
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
    description:
      'Changes a webhook. If all values are set already, nothing changes, `updatedAt` included. A URL of another origin (scheme, host or port) also needs the value of each header that stays, because it may be a credential: without it, the issue of the header has the code `header_value_required`, and nothing changes. A caller with `secrets:read` may omit the values; the audit log names these headers (`keptHeaders`).',
    authScopes: { scope: 'webhooks:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [EndpointUnverified, ValidationError, NotFoundError, EditConflict, ConflictError],
      dataField: { name: 'webhook', description: 'The webhook after the change.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, context) => {
      const caller = callerOf(context)
      refuseOwnNames(caller, input)
      const { headers, filter, filterText, ifRevision, ...fields } = input
      // The domain rejects null for fields that cannot be null.
      const changes = {
        ...fields,
        ...(headers === null && { headers }),
        ...filterOf({ filter, filterText }),
      } as WebhookChanges
      const options = {
        movesHeaderValues: hasScope(caller, 'secrets:read'),
        ...(headers && { headerChanges: headers }),
        ...(typeof ifRevision === 'number' && { ifRevision }),
      }
      await updateWebhook(actingAs(context), caller.organizationId, id, changes, options)
      return await rereadWebhook(context.prisma, caller.organizationId, id, query)
    },
  }),

  upsertWebhook: t.prismaField({
    type: 'Webhook',
    description:
      'Registers the webhook with this uid, or changes the existing one, whose signing secret stays. If all values are set already, nothing changes, and `changed` is false. Of concurrent calls with one uid, one registers the webhook. As for `updateWebhook`, a URL of another origin needs the headers again.',
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [EndpointUnverified, ValidationError, ConflictError],
      dataField: { name: 'webhook', description: 'The webhook after the call.' },
      result: {
        description: 'The webhook is as it is to be.',
        fields: (t) => ({
          created: t.boolean(upsertedFields.created),
          changed: t.boolean(upsertedFields.changed),
        }),
      },
    },
    args: {
      uid: t.arg.string({ required: true, description: UID }),
      input: t.arg({
        type: UpsertWebhookInput,
        required: true,
        description: 'What the webhook is to be.',
      }),
    },
    resolve: async (query, _root, { uid, input }, context) => {
      const caller = callerOf(context)
      refuseOwnNames(caller, { ...input, uid })
      requireSecretScope(caller, input)
      const { enabled, headers, filter, filterText, ...fields } = input
      const webhook = {
        ...fields,
        ...filterOf({ filter, filterText }),
        ...(enabled !== undefined && { enabled: enabled ?? false }),
        ...(headers !== undefined && { headers: headers && valuesByName(headers) }),
      } as NewWebhook
      const options = { movesHeaderValues: hasScope(caller, 'secrets:read') }
      const { organizationId } = caller
      const { id, ...done } = await upsertWebhook(
        actingAs(context),
        organizationId,
        uid,
        webhook,
        options,
      )
      return { ...(await rereadWebhook(context.prisma, organizationId, id, query)), ...done }
    },
  }),

  deleteWebhook: t.field({
    type: 'ID',
    description:
      'Deletes a webhook permanently, with its secrets and headers. Its unfinished deliveries are canceled.',
    authScopes: { scope: 'webhooks:write' },
    portal: changesNode('webhook'),
    errors: {
      types: [NotFoundError],
      dataField: { name: 'id', description: 'The id of the deleted webhook.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
    resolve: async (_root, { id }, context) => {
      await deleteWebhook(actingAs(context), callerOf(context).organizationId, id)
      return id
    },
  }),
}))

/** The filter in the form of the domain. Nothing if none is given. */
function filterOf(given: GivenFilter): { filter?: string | null } {
  const filter = textOfFilter(given)
  return filter === undefined ? {} : { filter }
}

type HeaderList = readonly { readonly name: string; readonly value: string }[]

/** Converts headers to the form of the domain: values by name. */
function valuesByName(headers: HeaderList): Record<string, string> {
  const issues = repeatedNames(headers)
  if (issues.length > 0) throw invalid(issues)
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]))
}

const NOT_FOR_SESSIONS = ['uid', 'metadata', 'verifyEndpoint'] as const

/** The users of a session are customers: the names by which the organization's own programs find webhooks are not theirs. */
function refuseOwnNames({ session }: Caller, given: object): void {
  if (session === null) return
  const names = NOT_FOR_SESSIONS.filter(
    (name) => (given as Record<string, unknown>)[name] !== undefined,
  )
  if (names.length === 0) return
  const rule = `is not for a ${session.kind} session. Omit it, or use an API key.`
  throw invalid(names.map((name) => fieldIssue([name], 'not_supported', rule)))
}

/** The dependencies, with the caller as the actor in the audit log. */
function actingAs({ webhooks, actor }: Context): ActingWebhookDeps {
  return { ...webhooks, actor, allowsPatterns: true }
}
