import type { Config } from '../../../config/config.ts'
import { createGraphqlApi } from '../../graphql-api.ts'
import { serverAccess } from '../../server-access.ts'
import type { ListenOptions } from '../listen-options.ts'
import { log } from '../log.ts'
import { stopRequest } from '../stop-request.ts'
import { forwardDeliveries } from './forward-deliveries.ts'
import { replayDelivery } from './replay-delivery.ts'
import { withTemporaryWebhook } from './temporary-webhook.ts'

/** Sends deliveries to a local server: one stored delivery with `--replay`, else those of a temporary webhook. */
export async function runForwarder(options: ListenOptions, config: Config): Promise<void> {
  const url = options.forward as URL
  const access = await serverAccess(options, config)
  const api = createGraphqlApi(access)
  if (options.replay !== undefined) {
    await replayDelivery(api, options.replay, { ...options, url })
    return
  }
  const stop = stopRequest()
  try {
    const webhook = {
      // A query can have a credential.
      description: `posthorn listen --forward ${url.origin}${url.pathname}`.slice(0, 1_000),
      ...(options.event && { eventSubscriptions: options.event }),
    }
    await withTemporaryWebhook(api, webhook, (created) =>
      forwardDeliveries(api, created, { ...options, url, server: access.url, stop }),
    )
    log('Deleted the temporary webhook.')
  } finally {
    stop.dispose()
  }
}
