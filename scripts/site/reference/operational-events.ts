import { operationalTypes } from '../../../src/health/alerts/operational-event-types.ts'
import { fenced, page, prose } from './markdown.ts'

export function operationalEventsPage(): string {
  return page(
    '# Operational events',
    'The events that Posthorn itself publishes: a webhook, a secret or an API key needs somebody. They are off until an operator switches them on: [The console](../guides/console.md) says how, and how they reach a channel or a mailbox. The examples leave out `summary`, a sentence, and `alert`, for programs that page people. The event type has the schema of `data`.',
    ...operationalTypes().flatMap(({ name, description, example }) => [
      `## ${name}`,
      prose(description),
      fenced(JSON.stringify(example, null, 2), 'json'),
    ]),
  )
}
