import { expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { useReader } from './support/posthorn.ts'

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

followGuide('filters', posthorn, {
  after: {
    whyNotDelivered: (output) => expect(output).toContain('"reason":"FILTERED_OUT"'),
    'testFilter(': (output) => expect(output).toMatch(/"matched":1,/),
  },
})

followGuide('bodies', posthorn, {
  after: {
    'publish ticket.sold': async () => {
      const query = '{ deliveries(first: 1) { nodes { body } } }'
      const { data } = await posthorn.graphql(query)
      expect(JSON.stringify(data)).toContain('{\\"ticket\\":{\\"id\\":7},\\"price\\":\\"49.90\\"}')
      expect(JSON.stringify(data)).not.toContain('ada@example.com')
    },
    selectableFields: (output) => expect(output).toContain('"graphqlType":"TicketSold"'),
    'data.event.name': (output) =>
      expect(output).toMatch(
        /"issues":\[\],"bodies":\[\{"body":"\{\\"text\\": ?\\"\S+ has a ticket for/,
      ),
    'createWebhook(': (output) => expect(output).toContain('"enabled":false'),
  },
})
