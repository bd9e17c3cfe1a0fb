import { EventsError } from './events-error.ts'
import type { Principal } from './options.ts'
import { readKey } from './params.ts'
import type { CallPosthorn } from './posthorn.ts'
import { findWebhook } from './subscribe.ts'
import { subscriptionId } from './subscription-id.ts'

/** Deletes the webhook of a subscription. The principal is a part of the id, so nobody ends what others have. */
export async function unsubscribe(call: CallPosthorn, principal: Principal, given: unknown) {
  const { name, arguments: args, url } = readKey(given)
  const id = await subscriptionId({ principal: principal.id, url, name, arguments: args })
  const webhook = await findWebhook(call, principal, id)
  if (!webhook) throw noSubscription()
  const { deleteWebhook } = await call<{ deleteWebhook: { __typename: string } }>(
    principal,
    DELETE,
    {
      id: webhook.id,
    },
  )
  if (deleteWebhook.__typename !== 'DeleteWebhookSuccess') throw noSubscription()
  return {}
}

function noSubscription(): EventsError {
  const message = 'There is no subscription with this name, these arguments and this delivery.url.'
  return new EventsError('notFound', message, { kind: 'subscription' })
}

const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'
