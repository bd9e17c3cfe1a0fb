/** The examples in the OpenAPI document. */
export const EXAMPLE_WEBHOOK = {
  id: 'wh_01m7wwqnz4e8mbhv0437sz0j6w',
  url: 'https://harvest-fair.example/webhooks/posthorn',
  description: 'Ticketing',
  enabled: true,
  event_subscriptions: ['event_attendee.joined_event', 'event_attendee.ticket_success'],
  headers: { 'X-Tenant': 'harvest-fair' },
  created_at: '2026-11-20T16:21:13.402Z',
  updated_at: '2026-11-20T16:21:13.402Z',
}

const { id: _id, created_at: _at, updated_at: _changed, ...given } = EXAMPLE_WEBHOOK

export const EXAMPLE_NEW_WEBHOOK = given

export const EXAMPLE_SECRET = { key: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' }

export const EXAMPLE_DELIVERY = {
  id: 'evt_01m7wwqnz4e8mbhv0rekq88abb',
  type: 'event_attendee.joined_event',
  timestamp: '2026-11-20T16:30:00.000Z',
  data: {
    event: { id: 'ev_1042', name: 'Harvest Fair' },
    attendee: { id: 'at_77', email: 'ada@example.com' },
  },
}

const { id, ...newEvent } = EXAMPLE_DELIVERY

export const EXAMPLE_NEW_EVENT = { ...newEvent, idempotencyKey: 'order-20417' }

export const EXAMPLE_PUBLISHED = { id, deliveryCount: 2, duplicate: false }
