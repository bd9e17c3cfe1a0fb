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

/** Programs that publish one event. They read the API key from POSTHORN_API_KEY. */
export function publishSnippets(target: PublishTarget): readonly Snippet[] {
  return [
    { language: 'curl', code: curl(target) },
    { language: 'TypeScript', code: typescript(target) },
    { language: 'Python', code: python(target) },
    { language: 'SQL', code: sql(target) },
  ]
}

const MUTATION = `mutation ($input: PublishEventInput!) {
  publishEvent(input: $input) {
    ... on PublishEventSuccess { publishedEvent { id deliveryCount } }
    ... on UserError { code message }
  }
}`

function curl({ type, data, ...target }: PublishTarget): string {
  return curlRequest(target, MUTATION, { input: { type, data } })
}

function typescript({ type, data, ...target }: PublishTarget): string {
  return `const publishEvent = \`${MUTATION}\`

const response = ${fetchRequest(target, 'publishEvent', { input: { type, data } })}
console.log(JSON.stringify(await response.json()))`
}

function python({ origin, organizationId, actsFor, type, data }: PublishTarget): string {
  return `import json, os, urllib.request

publish_event = """${MUTATION}"""
data = json.loads(r'''${JSON.stringify(data, null, 2).replaceAll("'", '\\u0027')}''')

request = urllib.request.Request(
    "${origin}/graphql",
    headers={
        "Authorization": f"Bearer {os.environ['POSTHORN_API_KEY']}",${actsFor ? `\n        "Posthorn-Organization": "${organizationId}",` : ''}
        "Content-Type": "application/json",
    },
    data=json.dumps({
        "query": publish_event,
        "variables": {"input": {"type": ${JSON.stringify(type)}, "data": data}},
    }).encode(),
)
print(urllib.request.urlopen(request).read().decode())`
}

function sql({ organizationId, type, data }: PublishTarget): string {
  const text = JSON.stringify(data, null, 2).replaceAll("'", "''")
  return `-- Inside your own transaction, in the database of Posthorn.
select * from posthorn.publish_event(
  '${organizationId}',
  '${type}',
  '${text}'
);`
}
