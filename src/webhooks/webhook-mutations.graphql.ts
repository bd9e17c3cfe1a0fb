import { type Caller, hasScope } from '../auth/access/scope.ts'
import { EditConflict, IF_REVISION } from '../auth/audit/edit-conflict.ts'
import { type GivenFilter, textOfFilter } from '../events/filters/read-filter.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { type InputFields, mutation, upsertedFields } from '../graphql/mutation.ts'
import { settingInputs } from '../graphql/setting-fields.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import type { Setting, Upserted } from '../lib/setting.ts'
import { EndpointUnverified, UNVERIFIED_REASONS } from './challenge.ts'
import type { HeaderChange } from './encrypted-headers.ts'
import type { WebhookName } from './find-webhooks.ts'
import { saveWebhook } from './save-webhook.ts'
import { SIGNING_SECRET_RULE } from './signing-secret.ts'
import { deleteWebhook } from './webhook.ts'
import { WEBHOOK_SETTINGS, type WebhookInput } from './webhook-settings.ts'

const HeaderInput = builder.inputType('HeaderInput', {
  description: 'A custom header of a webhook.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'A valid HTTP header name, unique regardless of case. Not allowed: `wh-*`, `webhook-*`, `content-*`, `proxy-*`, `host`, `user-agent`, `accept-encoding`, `traceparent`, `tracestate`, connection headers, and these names with `_` for `-`. A header that has the name of another delivery header is not sent.',
    }),
    value: t.string({
      description:
        'Visible ASCII characters. Spaces and tabs are allowed, but not at the start or end. Omitted or null: the header of an existing webhook keeps its stored value, which the caller need not know.',
    }),
  }),
})

const EndpointVerificationReason = enumOf(
  'EndpointVerificationReason',
  'Why an endpoint is not verified.',
  UNVERIFIED_REASONS,
)

builder.objectType(EndpointUnverified, {
  name: 'EndpointVerificationError',
  description: 'The endpoint did not answer its challenge. Nothing was changed.',
  interfaces: ['UserError'],
  fields: (t) => ({
    reason: t.expose('reason', {
      type: EndpointVerificationReason,
      description: 'Why the endpoint is not verified. What it answered is not shown.',
    }),
  }),
})

const { uid: UID, ...WITHOUT_UID } = WEBHOOK_SETTINGS

/** What callers give in another form than the domain has. */
const otherInputs = (t: InputFields) => ({
  headers: t.field({
    type: [HeaderInput],
    description:
      'Static headers added to every delivery: at most 32, and 8 KiB in total. They are encrypted at rest. Use hyphens in names: nginx, gunicorn and other servers drop headers with an underscore. They replace all existing headers: one that is not in the list is removed. A header without a value keeps its stored value; if there is none, its issue has the code `unknown_header`. Null, the default: none.',
  }),
  filterText: t.string({
    description:
      'The filter as the text of its JSON, which keeps every digit of its numbers, such as 9007199254740993. Not together with `filter`.',
  }),
})

const OWN_SECRET = `The signing secret: ${SIGNING_SECRET_RULE}. Needs the scope \`secrets:rotate\`. Default: Posthorn makes one.`

mutation('createWebhook', {
  description:
    'Registers a webhook and creates its signing secret. Reading the secret also needs `secrets:read`. To call it again safely, use `upsertWebhook`.',
  scope: 'webhooks:write',
  input: {
    description: 'A webhook to register.',
    fields: (t) => ({
      ...settingInputs(t, WEBHOOK_SETTINGS, 'new'),
      ...otherInputs(t),
      secret: t.string({ description: OWN_SECRET }),
    }),
  },
  errors: [EndpointUnverified],
  returns: ['webhook', 'Webhook', 'The new webhook.'],
  run: ({ input }, context, caller) => save(context, caller, null, input),
})

mutation('updateWebhook', {
  description:
    'Changes a webhook. If all values are set already, nothing changes, `updatedAt` included. A URL of another origin (scheme, host or port) also needs the value of each header that stays, because it may be a credential: without it, the issue of the header has the code `header_value_required`, and nothing changes. A caller with `secrets:read` may omit the values.',
  scope: 'webhooks:write',
  id: 'webhook',
  input: {
    description:
      'Changes to a webhook. Omitted fields keep their values. Null resets a setting to its default.',
    fields: (t) => ({
      ...settingInputs(t, WEBHOOK_SETTINGS, 'changes'),
      ...otherInputs(t),
      ifRevision: t.int({ description: IF_REVISION }),
    }),
  },
  errors: [EndpointUnverified, EditConflict],
  returns: ['webhook', 'Webhook', 'The webhook after the change.'],
  run: ({ id, input }, context, caller) => save(context, caller, { id }, input),
})

mutation('upsertWebhook', {
  description:
    'Registers the webhook with this uid, or changes the existing one, whose signing secret stays. If all values are set already, nothing changes, and `changed` is false. Of concurrent calls with one uid, one registers the webhook. As for `updateWebhook`, a URL of another origin needs the headers again.',
  scope: 'webhooks:write',
  args: (t) => ({ uid: t.string({ required: true, description: UID.description }) }),
  input: {
    description:
      'What the webhook with the uid is to be. Omitted fields keep their values, or have the default in a new webhook. Null is the default.',
    fields: (t) => ({
      ...settingInputs(t, WITHOUT_UID, 'new'),
      ...otherInputs(t),
      secret: t.string({
        description: `${OWN_SECRET} Only of a new webhook: an existing one keeps its secret.`,
      }),
    }),
  },
  errors: [EndpointUnverified],
  returns: ['webhook', 'Webhook', 'The webhook after the call.'],
  success: 'The webhook is as it is to be.',
  fields: upsertedFields,
  run: ({ uid, input }, context, caller) => save(context, caller, { uid }, input),
})

mutation('deleteWebhook', {
  description:
    'Deletes a webhook permanently, with its secrets and headers. Its unfinished deliveries are canceled.',
  scope: 'webhooks:write',
  id: 'webhook',
  returns: ['id', 'ID', 'The id of the deleted webhook.'],
  run: async ({ id }, { webhooks, actor }, { organizationId }) => {
    await deleteWebhook({ ...webhooks, actor }, organizationId, id)
    return id
  },
})

interface GivenWebhook extends Omit<WebhookInput, 'headers' | 'filter'>, GivenFilter {
  readonly headers?: readonly HeaderChange[] | null | undefined
  readonly ifRevision?: number | null | undefined
}

async function save(
  { webhooks, actor }: Context,
  caller: Caller,
  named: WebhookName | null,
  { filter, filterText, headers, ifRevision, ...settings }: GivenWebhook,
): Promise<Upserted> {
  refuseOwnNames(caller, { ...settings, ...named })
  requireSecretScope(caller, settings)
  const text = textOfFilter({ filter, filterText })
  const input = {
    ...settings,
    ...(text !== undefined && { filter: text }),
    // A list is a change of the headers.
    ...(headers === null && { headers }),
  }
  const { row: _, ...saved } = await saveWebhook(
    { ...webhooks, actor },
    caller.organizationId,
    named,
    input,
    {
      ifRevision,
      allowsPatterns: true,
      movesHeaderValues: hasScope(caller, 'secrets:read'),
      ...(headers && { headerChanges: headers }),
    },
  )
  return saved
}

/** The users of a session are customers: the names by which the organization's own programs find webhooks are not theirs. */
function refuseOwnNames({ session }: Caller, given: Readonly<Record<string, unknown>>): void {
  if (session === null) return
  const names = Object.entries<Setting>(WEBHOOK_SETTINGS).flatMap(([name, { forSessions }]) =>
    forSessions === false && given[name] !== undefined ? name : [],
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
