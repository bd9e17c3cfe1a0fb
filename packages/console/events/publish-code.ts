import {
  type ApiTarget,
  curlRequest,
  fetchRequest,
  type Snippet,
} from '../components/snippets/graphql-request.ts'

/** What a program needs to publish an event of one type. */
interface PublishTarget extends ApiTarget {
  readonly type: string
  /** The data of the event, any JSON value. */
  readonly data: unknown
}

const MUTATION = `mutation ($input: PublishEventInput!) {
  publishEvent(input: $input) {
    ... on PublishEventSuccess { publishedEvent { id deliveryCount } }
    ... on UserError { code message }
  }
}`

/** Programs that publish one event. They read the API key from POSTHORN_API_KEY. */
export function publishSnippets({ type, data, ...target }: PublishTarget): readonly Snippet[] {
  const variables = { input: { type, data } }
  return [
    { language: 'curl', code: curlRequest(target, MUTATION, variables) },
    {
      language: 'TypeScript',
      code: `const publishEvent = \`${MUTATION}\`

const response = ${fetchRequest(target, 'publishEvent', variables)}
console.log(JSON.stringify(await response.json()))`,
    },
    {
      language: 'SQL',
      code: `-- Inside your own transaction, in the database of Posthorn.
select * from posthorn.publish_event(
  '${target.organizationId}',
  '${type}',
  '${JSON.stringify(data, null, 2).replaceAll("'", "''")}'
);`,
    },
  ]
}
