import type { Config } from '../../../config/config.ts'
import { createGraphqlApi } from '../../graphql-api.ts'
import { serverAccess } from '../../server-access.ts'
import type { ListenOptions } from '../listen-options.ts'
import { stopRequest } from '../stop-request.ts'
import { forwardEvents } from './forward-events.ts'
import { replayDelivery, replayEvent } from './replay-delivery.ts'

/** Sends to a local server: one stored delivery or event with `--replay`, else the events that are published from now on. */
export async function runForwarder(options: ListenOptions, config: Config): Promise<void> {
  const forward = options.forward as URL
  const access = await serverAccess(options, config)
  if (options.replay !== undefined) {
    const api = createGraphqlApi(access)
    const { replay: id } = options
    const to = { ...options, url: forward }
    const answer = await (id.startsWith('evt_')
      ? replayEvent(api, config.headerPrefix, id, to)
      : replayDelivery(api, id, to))
    if (answer.kind !== 'answered' || answer.status >= 300) process.exitCode = 1
    return
  }
  const stop = stopRequest()
  try {
    await forwardEvents(access, config.headerPrefix, { ...options, forward }, stop)
  } finally {
    stop.dispose()
  }
}
