/** What a program needs to publish an event of one type. */
export interface PublishTarget {
  /** The origin of Posthorn, such as `https://hooks.example.com`. */
  readonly origin: string
  readonly organizationId: string
  /** Whether the caller's key belongs to another organization. */
  readonly actsFor: boolean
  readonly type: string
  /** The data of the event, any JSON value. */
  readonly data: unknown
}

export interface Snippet {
  readonly language: string
  readonly code: string
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

function curl({ origin, organizationId, actsFor, type, data }: PublishTarget): string {
  const body = { query: MUTATION.replace(/\s+/g, ' '), variables: { input: { type, data } } }
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `curl ${origin}/graphql \\
  -H "Authorization: Bearer $POSTHORN_API_KEY" \\${actsFor ? `\n  -H 'Posthorn-Organization: ${organizationId}' \\` : ''}
  -H 'Content-Type: application/json' \\
  -d '${quoted}'`
}

function typescript({ origin, organizationId, actsFor, type, data }: PublishTarget): string {
  return `const publishEvent = \`${MUTATION}\`

const response = await fetch('${origin}/graphql', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.POSTHORN_API_KEY}\`,${actsFor ? `\n    'posthorn-organization': '${organizationId}',` : ''}
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    query: publishEvent,
    variables: { input: { type: ${JSON.stringify(type)}, data: ${indented(data, '    ')} } },
  }),
})
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

const indented = (data: unknown, by: string) =>
  JSON.stringify(data, null, 2).replaceAll('\n', `\n${by}`)
