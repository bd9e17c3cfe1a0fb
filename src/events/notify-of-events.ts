import type { Notify } from '../live/notify.ts'
import type { PublishEvents } from './publish-events.ts'

/** Notifies the streams of the organization, in all processes, once the events are committed. */
export function notifyOfEvents(publish: PublishEvents, notify: Notify): PublishEvents {
  return async (organizationId, events) => {
    const published = await publish(organizationId, events)
    notify(organizationId)
    return published
  }
}
