import { EventsError } from './events-error.ts'
import { filterOf } from './offered-event.ts'
import type { EventsOptions, Principal, Ttl } from './options.ts'
import { readSubscribe, type SubscribeParams } from './params.ts'
import type { CallPosthorn } from './posthorn.ts'
import { refuse, type UpsertError } from './refuse.ts'
import { sha256, subscriptionId } from './subscription-id.ts'

/** Subscribes, or renews: the webhook whose uid is the id of the subscription. */
export async function subscribe(
  call: CallPosthorn,
  options: EventsOptions,
  ttl: Ttl,
  principal: Principal,
  given: unknown,
) {
  const params = readSubscribe(given, ttl)
  const { name, arguments: args, url, secret } = params
  const offered = Object.hasOwn(options.events, name) ? options.events[name] : undefined
  if (!offered) throw noEvent()
  const filter = filterOf(offered, args)
  if (options.authorize && !(await options.authorize(principal, { name, arguments: args }))) {
    throw new EventsError(
      'forbidden',
      'The principal may not subscribe to this event with these arguments.',
    )
  }
  const id = await subscriptionId({ principal: principal.id, url, name, arguments: args })
  const secretHash = (await sha256(secret)).slice(0, 32)
  const before = await findWebhook(call, principal, id)
  // The old secret signs, too, so that a delivery on its way verifies by either.
  if (before && before.metadata[SECRET] !== secretHash) {
    await call(principal, ROTATE, { id: before.id, input: { secret } })
  }
  const { upsertWebhook: result } = await call<{ upsertWebhook: Upserted | UpsertError }>(
    principal,
    UPSERT,
    { uid: id, input: webhookOf(params, { id, filter, secretHash }) },
  )
  if (result.__typename !== 'UpsertWebhookSuccess') throw refuse(result)
  return { id, refreshBefore: result.webhook.expiresAt, cursor: null, truncated: false }
}

/** The name of the label with the hash of the secret, which tells a new secret from the present one. */
const SECRET = 'mcp_secret'

interface Settings {
  readonly id: string
  readonly filter: object | null
  readonly secretHash: string
}

function webhookOf(
  { name, url, secret, ttlMs }: SubscribeParams,
  { id, filter, secretHash }: Settings,
) {
  return {
    url,
    eventSubscriptions: [name],
    enabled: true,
    description: `MCP Events: ${name}`,
    filter,
    template: TEMPLATE,
    secret,
    headers: [{ name: 'X-MCP-Subscription-Id', value: id }],
    signatureHeaders: {
      id: 'webhook-id',
      timestamp: 'webhook-timestamp',
      signature: 'webhook-signature',
    },
    signsWithPreviousSecret: true,
    messageIdKind: 'EVENT',
    verifyEndpoint: true,
    endsWhenGone: true,
    expiresAt: new Date(Date.now() + ttlMs).toISOString(),
    metadata: { [SECRET]: secretHash },
  }
}

const TEMPLATE = `{
  "eventId": {{ event.id }},
  "name": {{ event.type }},
  "timestamp": {{ event.occurredAt }},
  "data": {{ $ }},
  "cursor": null
}`

interface ExistingWebhook {
  readonly id: string
  readonly metadata: Readonly<Record<string, string>>
}

export async function findWebhook(
  call: CallPosthorn,
  principal: Principal,
  uid: string,
): Promise<ExistingWebhook | null> {
  const { webhook } = await call<{ webhook: ExistingWebhook | null }>(principal, FIND, { uid })
  return webhook
}

export function noEvent(): EventsError {
  return new EventsError('notFound', 'name is no event of this server. events/list has them.', {
    kind: 'event',
  })
}

interface Upserted {
  readonly __typename: 'UpsertWebhookSuccess'
  readonly webhook: { readonly expiresAt: string | null }
}

const FIND = 'query ($uid: String!) { webhook(uid: $uid) { id metadata } }'

const ROTATE = `mutation ($id: ID!, $input: RotateSigningSecretInput!) {
  rotateSigningSecret(id: $id, input: $input) { __typename }
}`

const UPSERT = `mutation ($uid: String!, $input: UpsertWebhookInput!) {
  upsertWebhook(uid: $uid, input: $input) {
    __typename
    ... on UpsertWebhookSuccess { webhook { expiresAt } }
    ... on EndpointVerificationError { reason }
    ... on ValidationError { issues { path code message } }
  }
}`
