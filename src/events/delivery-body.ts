import { publicId } from '../db/ids.ts'

/** The columns of an event that its deliveries send. */
export interface DeliveredEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The exact JSON text that was published. */
  readonly data: string
}

/**
 * The signed body of an attempt. The body depends only on these columns of the event, so every attempt of every
 * delivery sends the same bytes.
 */
export function deliveryBody({ id, type, occurredAt, data }: DeliveredEvent): string {
  return `{"id":"${publicId('event', id)}","type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`
}
