import type { Settings } from '../config/settings.ts'
import { publicId } from '../db/ids.ts'
import type { ExchangedAlone, ExchangeThread } from '../deliveries/attempts/run-alone.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type LaunchedThread, launchThread } from './launch-thread.ts'
import type { MainThread } from './messages.ts'

/** A thread without work ends after this time: the next attempt that runs alone may come soon. */
const IDLE_MS = 10_000

/** The thread of attempts that run alone. It has its own heap, and ends if its event loop stands still. */
export function createExchangeThread(settings: Settings, logger: Logger): ExchangeThread {
  let thread: LaunchedThread | null = null
  let idle: NodeJS.Timeout | undefined
  let beforeSend: MainThread['beforeSend'] = async () => {}

  async function launch(): Promise<LaunchedThread> {
    const launched = await launchThread(
      { role: 'worker', listens: false, isAlone: true },
      { settings, main: { beforeSend: () => beforeSend() } },
    )
    launched.failed.then(() => {
      if (thread === launched) thread = null
    })
    return launched
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = thread
    thread = null
    await ending?.drain()
  }

  return {
    async open() {
      clearTimeout(idle)
      thread ??= await launch()
    },

    async exchange(delivery, started, control) {
      if (thread === null) throw new Error('The thread of an attempt that runs alone is not open.')
      const { remote, failed, terminate } = thread
      const onAbort = () => void terminate('its attempt was aborted')
      let refusal: unknown
      beforeSend = () =>
        control.beforeSend().catch((error) => {
          refusal = error
          throw error
        })
      control.signal.addEventListener('abort', onAbort)
      try {
        if (control.signal.aborted) return 'aborted'
        return withBuffer(await remote.exchange(delivery, started))
      } catch (error) {
        const ended = await Promise.race([failed, null])
        if (ended === null) throw refusal ?? error
        if (control.signal.aborted) return 'aborted'
        logger.error(
          { deliveryId: publicId('delivery', delivery.id), reason: ended.reason },
          'the thread of an attempt that ran alone ended',
        )
        return 'thread ended'
      } finally {
        control.signal.removeEventListener('abort', onAbort)
        idle = setTimeout(end, IDLE_MS)
        idle.unref()
      }
    },

    [Symbol.asyncDispose]: end,
  }
}

/** A message carries a Buffer as a Uint8Array. */
function withBuffer(exchanged: ExchangedAlone): ExchangedAlone {
  if (typeof exchanged === 'string' || 'unsent' in exchanged) return exchanged
  const { request, outcome } = exchanged
  if (outcome.kind !== 'answered') return exchanged
  return { request, outcome: { ...outcome, body: Buffer.from(outcome.body) } }
}
