import type { Config } from '../../../config/config.ts'
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
    const { replay: id } = options
    const to = { ...options, url: forward }
    const answer = await (id.startsWith('evt_')
      ? replayEvent(access, config.headerPrefix, id, to)
      : replayDelivery(access, id, to))
    if (answer.status === null || answer.status >= 300) process.exitCode = 1
    return
  }
  await forwardEvents(access, config.headerPrefix, { ...options, forward }, stopRequest())
}
