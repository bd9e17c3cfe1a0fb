import { JOINED, TICKET } from '../../support/factories.ts'

export { JOINED, TICKET }

/** The event types that the seed adds to the two of a new installation. */
export const EVENT_TYPES = [
  {
    name: 'order.placed',
    description: 'An order was placed and paid for.',
    schema: {
      type: 'object',
      required: ['orderId', 'total'],
      properties: {
        orderId: { type: 'string', description: 'Stays the same for the life of the order.' },
        total: {
          type: 'object',
          required: ['amount', 'currency'],
          properties: {
            amount: { type: 'integer', minimum: 0, description: 'In the smallest unit.' },
            currency: { type: 'string', enum: ['EUR', 'USD', 'GBP'] },
          },
        },
        tickets: { type: 'array', items: { type: 'string' }, maxItems: 100 },
      },
    },
    example: {
      orderId: 'ord_20417',
      total: { amount: 4_800, currency: 'EUR' },
      tickets: ['A-17', 'A-18'],
    },
  },
  {
    name: 'order.refunded',
    description: 'The whole of an order was paid back.',
    example: { orderId: 'ord_20417', reason: 'requested by the customer' },
  },
  { name: 'newsletter.subscribed', description: 'Somebody asked for the newsletter.' },
] as const

/** Sample events. The newest event types come first, so that each type has some events. */
export function newEvents(count: number): { type: string; data: unknown }[] {
  return Array.from({ length: count }, (_, n) => KINDS[n % KINDS.length]?.(n) as never)
}

const KINDS = [
  (n: number) => ({
    type: JOINED,
    data: {
      attendee: { id: 7_000 + n, ticket: n % 3 === 0 ? 'day' : 'weekend' },
      entrance: 'north',
    },
  }),
  (n: number) => ({
    type: 'order.placed',
    data: {
      orderId: `ord_${20_400 + n}`,
      total: { amount: 2_400 * (1 + (n % 4)), currency: 'EUR' },
      tickets: [`A-${n}`, `A-${n + 1}`],
    },
  }),
  (n: number) => ({
    type: TICKET,
    data: { ticket: 9_000 + n, seat: { row: 'C', number: n }, channel: 'box office' },
  }),
  (n: number) => ({ type: JOINED, data: { attendee: { id: 8_000 + n, ticket: 'day' } } }),
  (n: number) => ({
    type: n % 2 === 0 ? 'order.refunded' : TICKET,
    data: { orderId: `ord_${20_300 + n}`, reason: 'requested by the customer' },
  }),
] as const
