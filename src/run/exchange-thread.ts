import type { Settings } from '../config/settings.ts'
import { publicId } from '../db/ids.ts'
import type { ExchangedAlone, ExchangeThread } from '../deliveries/attempts/run-alone.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type LaunchedThread, launchThread, loadThread } from './launch-thread.ts'
import type { MainThread } from './messages.ts'

/** A thread without work ends after this time: the next attempt that runs alone may come soon. */
const IDLE_MS = 10_000

type RunningThread = LaunchedThread & { terminate(): void }

/** The thread of attempts that run alone. It has its own heap, and ends if its event loop stands still. */
export function createExchangeThread(settings: Settings, logger: Logger): ExchangeThread {
  let thread: RunningThread | null = null
  let idle: NodeJS.Timeout | undefined
  let beforeSend: MainThread['beforeSend'] = async () => {}

  async function launch(): Promise<RunningThread> {
    const part = { role: 'worker', listens: false, isAlone: true } as const
    const loading = loadThread(part, settings.config.maxHeapMb)
    const launched = await launchThread(loading, {
      settings,
      main: { beforeSend: () => beforeSend() },
    })
    const running = {
      ...launched,
      terminate: () => void loading.terminate('its attempt was aborted'),
    }
    launched.failed.then(() => {
      if (thread === running) thread = null
    })
    return running
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
      let refusal: unknown
      beforeSend = () =>
        control.beforeSend().catch((error) => {
          refusal = error
          throw error
        })
      control.signal.addEventListener('abort', terminate)
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
        control.signal.removeEventListener('abort', terminate)
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
