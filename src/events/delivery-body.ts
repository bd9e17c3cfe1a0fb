import { publicId } from '../db/ids.ts'

/** The columns of an event that its deliveries send. */
export interface DeliveredEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** JSON, to the letter as it was published. */
  readonly data: string
}

/**
 * The body of every attempt of every delivery of an event, to the letter: what is signed and sent. It depends on nothing
 * but these columns, so every attempt sends the same bytes.
 */
export function deliveryBody({ id, type, occurredAt, data }: DeliveredEvent): string {
  return `{"id":"${publicId('event', id)}","type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`
}
