import { createFindBody } from '../bodies/body.ts'
import type { Settings } from '../config/settings.ts'
import {
  type ExchangeControl,
  type ExchangeDeps,
  exchange,
  type StartedAttempt,
} from '../deliveries/attempts/exchange.ts'
import { createLoadBody, type LoadedDelivery } from '../deliveries/attempts/load-delivery.ts'
import type { ExchangedAlone } from '../deliveries/attempts/run-alone.ts'
import { deliveryHeaderNames } from '../deliveries/attempts/signed-request.ts'
import { openSender } from '../deliveries/open-sender.ts'
import type { HttpSender } from '../outbound/http-sender.ts'
import { createFindSendOptions } from '../webhooks/send-options.ts'
import type { CommonServices } from './common-services.ts'

/** Makes the request of an attempt that runs alone. */
export type ExchangeAlone = (
  delivery: LoadedDelivery,
  started: StartedAttempt,
  beforeSend: ExchangeControl['beforeSend'],
) => Promise<ExchangedAlone>

export async function startExchanging(
  resources: AsyncDisposableStack,
  common: CommonServices,
  settings: Settings,
): Promise<ExchangeAlone> {
  const { pipeline } = common.database
  const sender = resources.use(await openSender(settings))
  const deps = openExchange(settings, sender)
  const loadBody = createLoadBody(pipeline, createFindBody(pipeline))
  const findSendOptions = createFindSendOptions(pipeline, common.keyring)
  const { signal } = new AbortController()
  return async (delivery, started, beforeSend) => {
    const options = await findSendOptions(delivery.webhookId, delivery.revision)
    const body = await loadBody(delivery)
    if (!options || body === null) return 'changed'
    return await exchange(deps, { delivery, options }, body, started, { signal, beforeSend })
  }
}

/** What signs and sends requests. */
export function openExchange({ config }: Settings, sender: HttpSender): ExchangeDeps {
  return { sender, headerNames: deliveryHeaderNames(config.headerPrefix) }
}
