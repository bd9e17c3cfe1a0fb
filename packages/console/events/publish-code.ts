import { type ApiTarget, curlRequest, type Snippet } from '../components/snippets/api-request.ts'

/** What a program needs to publish an event of one type. */
interface PublishTarget extends ApiTarget {
  readonly type: string
  /** The data of the event, any JSON value. */
  readonly data: unknown
}

const PATH = '/api/events/v1/events'

/** Programs that publish one event. They read the API key from POSTHORN_API_KEY. */
export function publishSnippets({ type, data, ...target }: PublishTarget): readonly Snippet[] {
  const { origin, organizationId, actsFor } = target
  return [
    { language: 'curl', code: curlRequest(target, PATH, { type, data }) },
    {
      language: 'TypeScript',
      code: `const response = await fetch('${origin}${PATH}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.POSTHORN_API_KEY}\`,${actsFor ? `\n    'posthorn-organization': '${organizationId}',` : ''}
    'content-type': 'application/json',
  },
  body: JSON.stringify(${literal({ type, data })}),
})
console.log(await response.text())`,
    },
    {
      language: 'SQL',
      code: `-- Inside your own transaction, in the database of Posthorn.
select * from posthorn.publish_event(
  '${organizationId}',
  '${type}',
  '${JSON.stringify(data, null, 2).replaceAll("'", "''")}'
);`,
    },
  ]
}

/** An indented value as JavaScript. In JSON, a line begins with a quote only before a key or in an array. */
function literal(value: unknown): string {
  const json = JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')
  return json.replaceAll(/^( *)"([A-Za-z]\w*)": /gm, '$1$2: ')
}
