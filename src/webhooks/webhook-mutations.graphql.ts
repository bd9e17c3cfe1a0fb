import { type Caller, hasScope } from '../access/scope.ts'
import { EditConflict, IF_REVISION } from '../audit/edit-conflict.ts'
import { type GivenFilter, textOfFilter } from '../filters/read-filter.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, resultOf, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import { upsertedFields } from '../own-names/upserted.ts'
import { EndpointUnverified } from './endpoint/endpoint-unverified.ts'
import { rereadWebhook } from './find-webhooks.ts'
import { type HeaderChange, newHeaders } from './header-changes.ts'
import { SIGNING_SECRET_RULE } from './signing-secret-rule.ts'
import { upsertWebhook } from './upsert-webhook.ts'
import { type ActingWebhookDeps, createWebhook, deleteWebhook, updateWebhook } from './webhook.ts'
import {
  type NewWebhook,
  WEBHOOK_SETTING_NAMES,
  WEBHOOK_SETTINGS,
  type WebhookChanges,
  type WebhookSetting,
} from './webhook-settings.ts'

const HeaderInput = builder.inputType('HeaderInput', {
  description: 'A custom header of a webhook.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'A valid HTTP header name, unique regardless of case. Not allowed: `wh-*`, `webhook-*`, the prefix of the delivery headers (POSTHORN_HEADER_PREFIX), `content-*`, `proxy-*`, `host`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate`, connection headers, and these names with `_` for `-`.',
    }),
    value: t.string({
      description:
        'Visible ASCII characters. Spaces and tabs are allowed, but not at the start or end. Omitted or null: the header of an existing webhook keeps its stored value, which the caller need not know.',
    }),
    previousName: t.string({
      description:
        'To rename a header without its value: the name whose stored value to keep, regardless of case. Ignored if a value is given. Default: `name`.',
    }),
  }),
})

/** What a caller can give: settings, and what belongs to one of the three inputs. */
type GivenWebhook = {
  readonly [Name in WebhookSetting]?: WebhookChanges[Name] | null
} & GivenFilter & {
    readonly headers?: readonly HeaderChange[] | null | undefined
    readonly secret?: string | null | undefined
    readonly ifRevision?: number | null | undefined
  }

interface InputOptions {
  readonly description: string
  readonly required: readonly WebhookSetting[]
  readonly without?: WebhookSetting
  readonly own: (t: InputFields) => Record<string, ReturnType<InputFields['string']>>
}

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** An input with a field for each setting of a webhook. */
function settingsInput(name: string, { description, required, without, own }: InputOptions) {
  return builder.inputRef<GivenWebhook>(name).implement({
    description,
    fields: ((t: InputFields) => ({
      ...Object.fromEntries(
        WEBHOOK_SETTING_NAMES.filter((setting) => setting !== without).map((setting) => {
          const { type, description } = WEBHOOK_SETTINGS[setting]
          return [
            setting,
            t.field({ type, description, required: required.includes(setting) } as never),
          ]
        }),
      ),
      headers: t.field({
        type: [HeaderInput],
        description:
          'Static headers added to every delivery: at most 32, and 8 KiB in total. They are encrypted at rest. Use hyphens in names: nginx, gunicorn and other servers drop headers with an underscore. They replace all existing headers: one that is not in the list is removed. A header without a value keeps its stored value; if there is none, its issue has the code `unknown_header`. Null, the default: none.',
      }),
      filterText: t.string({
        description:
          'The filter as the text of its JSON, which keeps every digit of its numbers, such as 9007199254740993. Not together with `filter`.',
      }),
      ...own(t),
    })) as never,
  })
}

const OWN_SECRET = `The signing secret: ${SIGNING_SECRET_RULE}. Needs the scope \`secrets:rotate\`. Default: Posthorn makes one.`

const CreateWebhookInput = settingsInput('CreateWebhookInput', {
  description: 'A webhook to register.',
  required: ['url', 'eventSubscriptions'],
  own: (t) => ({ secret: t.string({ description: OWN_SECRET }) }),
})

const UpdateWebhookInput = settingsInput('UpdateWebhookInput', {
  description: 'Changes to a webhook. Null resets a setting to its default.',
  required: [],
  own: (t) => ({ ifRevision: t.int({ description: IF_REVISION }) }) as never,
})

const UpsertWebhookInput = settingsInput('UpsertWebhookInput', {
  description:
    'What the webhook with the uid is to be. Omitted fields keep their values, or have the default in a new webhook. Null is the default.',
  required: ['url', 'eventSubscriptions'],
  without: 'uid',
  own: (t) => ({
    secret: t.string({
      description: `${OWN_SECRET} Only of a new webhook: an existing one keeps its secret.`,
    }),
  }),
})

builder.mutationFields((t) => ({
  createWebhook: t.prismaField({
    type: 'Webhook',
    description:
      'Registers a webhook and creates its signing secret. Reading the secret also needs `secrets:read`. To call it again safely, use `upsertWebhook`.',
    authScopes: { scope: 'webhooks:write' },
    errors: resultOf('webhook', 'The new webhook.', [
      EndpointUnverified,
      ValidationError,
      ConflictError,
    ]),
    args: {
      input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }),
    },
    resolve: async (query, _root, { input }, context) => {
      const caller = callerOf(context)
      const { organizationId } = caller
      refuseOwnNames(caller, input)
      requireSecretScope(caller, input)
      const { headers } = input
      const webhook = { ...newSettingsOf(input), ...(headers && { headers: newHeaders(headers) }) }
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
    errors: resultOf('webhook', 'The webhook after the change.', [
      EndpointUnverified,
      ValidationError,
      NotFoundError,
      EditConflict,
      ConflictError,
    ]),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, context) => {
      const caller = callerOf(context)
      refuseOwnNames(caller, input)
      const { ifRevision, ...given } = input
      const options = {
        ...headerOptions(caller, given),
        ...(typeof ifRevision === 'number' && { ifRevision }),
      }
      const { organizationId } = caller
      await updateWebhook(actingAs(context), organizationId, id, settingsOf(given), options)
      return await rereadWebhook(context.prisma, caller.organizationId, id, query)
    },
  }),

  upsertWebhook: t.prismaField({
    type: 'Webhook',
    description:
      'Registers the webhook with this uid, or changes the existing one, whose signing secret stays. If all values are set already, nothing changes, and `changed` is false. Of concurrent calls with one uid, one registers the webhook. As for `updateWebhook`, a URL of another origin needs the headers again.',
    authScopes: { scope: 'webhooks:write' },
    errors: {
      ...resultOf('webhook', 'The webhook after the call.', [
        EndpointUnverified,
        ValidationError,
        ConflictError,
      ]),
      result: {
        description: 'The webhook is as it is to be.',
        fields: (t) => ({
          created: t.boolean(upsertedFields.created),
          changed: t.boolean(upsertedFields.changed),
        }),
      },
    },
    args: {
      uid: t.arg.string({ required: true, description: WEBHOOK_SETTINGS.uid.description }),
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
      const { organizationId } = caller
      const { id, ...done } = await upsertWebhook(
        actingAs(context),
        organizationId,
        uid,
        newSettingsOf(input),
        headerOptions(caller, input),
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
    errors: resultOf('id', 'The id of the deleted webhook.', [NotFoundError]),
    args: { id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }) },
    resolve: async (_root, { id }, context) => {
      await deleteWebhook(actingAs(context), callerOf(context).organizationId, id)
      return id
    },
  }),
}))

/** The input in the form of the domain. Of headers, only null is a setting: a list is a change of them. */
function settingsOf({ filter, filterText, headers, ...settings }: GivenWebhook) {
  const text = textOfFilter({ filter, filterText })
  return {
    ...settings,
    ...(text !== undefined && { filter: text }),
    ...(headers === null && { headers }),
  } as WebhookChanges
}

/** Null, for example from an unset variable, means the default. An update rejects null for `enabled`. */
function newSettingsOf(given: GivenWebhook) {
  const settings = { ...settingsOf(given), ...(given.enabled === null && { enabled: false }) }
  return settings as NewWebhook
}

function headerOptions(caller: Caller, { headers }: GivenWebhook) {
  const movesHeaderValues = hasScope(caller, 'secrets:read')
  return { movesHeaderValues, ...(headers && { headerChanges: headers }) }
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

/** A caller that chooses a signing secret knows it, so it needs the scope of a rotation. Throws `invalid` without the scope. */
function requireSecretScope(caller: Caller, { secret }: { readonly secret?: unknown }): void {
  if (secret == null || hasScope(caller, 'secrets:rotate')) return
  const rule =
    'needs the scope secrets:rotate. Omit the field, so that Posthorn makes a secret, or use a key with this scope.'
  throw invalid([fieldIssue(['secret'], 'scope_not_held', rule)])
}

/** The dependencies, with the caller as the actor in the audit log. */
function actingAs({ webhooks, actor }: Context): ActingWebhookDeps {
  return { ...webhooks, actor, allowsPatterns: true }
}
