import type { LiveItem, Topic } from '../live/topic.ts'
import type { UseStream } from './event-stream.ts'
import { StreamWindow } from './stream-window.ts'

/** The stream of an organization has something new: the window has it. */
export interface StreamNews extends LiveItem {
  readonly position: null
}

/** Events are read together for so long, after the first of them was read at once. */
const REST_MS = 5

/** Events that SQL publishes come without a notification: those who notify would wait for each other's commits. */
const POLL_MS = 250

/** Of all windows of a process. */
const MAX_BYTES = 32 * 1024 * 1024

const NEWS: StreamNews = { webhookId: '', position: null }

export interface StreamTopic extends Topic<StreamNews> {
  /** The window of an organization that has streams in this process. */
  windowOf(organizationId: string): StreamWindow
}

/** Fills the windows of the organizations that have streams in this process. */
export function createStreamTopic(useStream: UseStream): StreamTopic {
  const windows = new Map<string, StreamWindow>()
  return {
    name: 'events',
    restMs: REST_MS,
    pollMs: POLL_MS,
    onlyNewest: true,
    follow(sql, organizationId) {
      const window = new StreamWindow(sql, organizationId, () => MAX_BYTES / windows.size)
      windows.set(organizationId, window)
      return async function* () {
        // Whoever follows a stream for as long as events are kept still uses it.
        await useStream(organizationId)
        if (await window.fill()) yield [NEWS]
      }
    },
    onEnd: (organizationId) => void windows.delete(organizationId),
    windowOf(organizationId) {
      const window = windows.get(organizationId)
      if (window === undefined) throw new Error('The organization has no streams in this process.')
      return window
    },
  }
}
