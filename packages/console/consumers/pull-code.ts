import type { ApiTarget, Snippet } from '../components/snippets/graphql-request.ts'

const PULL = `mutation Pull {
  pullEvents(consumer: "billing", max: 100, wait: 20) {
    lease
    events {
      id
      type
      data
    }
  }
}`

const ACKNOWLEDGE = `mutation Acknowledge($lease: ID!) {
  acknowledgeEvents(consumer: "billing", lease: $lease)
}`

/** The two calls of a consumer: pull, and acknowledge. They read the API key from POSTHORN_API_KEY. */
export function pullSnippets(target: ApiTarget): readonly Snippet[] {
  return [
    { language: 'curl', code: curl(target) },
    {
      language: 'GraphQL',
      code: `# POST ${target.origin}/graphql/events\n${PULL}\n\n${ACKNOWLEDGE}`,
    },
  ]
}

function curl({ origin, organizationId, actsFor }: ApiTarget): string {
  const headers = `  -H "Authorization: Bearer $POSTHORN_API_KEY"${actsFor ? ` \\\n  -H 'Posthorn-Organization: ${organizationId}'` : ''}`
  return `# Waits up to 20 seconds for events. The first pull creates the consumer.
curl '${origin}/api/events/v1/pull?consumer=billing&max=100&wait=20' \\
${headers}

# With the lease of the answer, once the events are processed.
curl '${origin}/api/events/v1/acknowledge' \\
${headers} \\
  -H 'Content-Type: application/json' \\
  -d '{ "consumer": "billing", "lease": "LEASE" }'`
}
