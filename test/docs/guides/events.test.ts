import { expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { hoursAgo, useReader } from './support/posthorn.ts'

const posthorn = await useReader()

followGuide('event-types', posthorn, {
  after: {
    'publish order.paid \'{"order": 9001, "total"': async () => {
      const { data } = await posthorn.graphql('{ events(first: 1) { nodes { type { name } } } }')
      expect(data).toEqual({ events: { nodes: [{ type: { name: 'order.paid' } }] } })
    },
    '"currency"': async () => {
      const { data } = await posthorn.graphql('{ eventTypes { name version } }')
      expect(data.eventTypes).toContainEqual({ name: 'order.paid', version: 2 })
    },
  },
})

followGuide('filter-events', posthorn, {
  replace: () => ({ '2026-11-27T12:00:00Z': hoursAgo(2) }),
  after: {
    'testFilter(': (output) => expect(output).toMatch(/"matched":1,/),
    whyNotDelivered: (output) => expect(output).toContain('"reason":"FILTERED_OUT"'),
  },
})

followGuide('choose-fields', posthorn, {
  after: {
    selectableFields: (output) => expect(output).toContain('"graphqlType":"TicketSold"'),
    'publish ticket.sold': async () => {
      const query = '{ deliveries(first: 1) { nodes { body } } }'
      const { data } = await posthorn.graphql(query)
      expect(JSON.stringify(data)).toContain('{\\"ticket\\":{\\"id\\":7},\\"price\\":\\"49.90\\"}')
      expect(JSON.stringify(data)).not.toContain('ada@example.com')
    },
  },
})
