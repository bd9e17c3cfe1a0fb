import fc from 'fast-check'
import { JOINED } from '../support/factories.ts'

/** A request to fuzz the server with. */
export interface Input {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** Strings that break parsers, storage or templates. */
const NASTY = [
  ...['', '\0', '\ud800', '\udfff\ud800', '\ufeff', '\u202e', 'ﬀ', 'é'.normalize('NFD')],
  ...['__proto__', 'constructor', 'toString', 'null', '-0', '1e400', '12345678901234567890'],
  ...["'; drop table posthorn.webhooks; --", '%00', '%', '../..', '{{7*7}}'],
  ...['💥'.repeat(50), 'x'.repeat(5_000)],
]

const ID = 'wh_01h455vb4pex5vsknk084sn02q'
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(JOINED, 'https://receiver.example/hooks', 'https://127.0.0.1', ID),
)
const id = fc.oneof(
  text,
  fc.constantFrom(ID, ID.toUpperCase(), ID.replace('wh', 'evt'), `${ID}0`, ID.slice(0, -1)),
  fc
    .tuple(fc.constantFrom('wh_', 'evt_', 'msg_', 'key_', 'org_', 'task_', ''), text)
    .map((p) => p.join('')),
)
const json = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
  fc.constantFrom(null, true, -0, 2 ** 53, 1e308, [], {}, [[]], [JOINED]),
  fc.constantFrom(...nested()),
)

function nested(): unknown[] {
  return [100, 140, 3_000].map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)))
}

/** JSON objects mostly with these fields, sometimes with another. */
function objectOf(fields: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fields) },
    { weight: 1, arbitrary: text },
  )
  return fc.array(fc.tuple(name, json), { maxLength: 6 }).map((entries) => {
    // Not with JSON.stringify: two fields may have the same name.
    return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
  })
}

const mangled = (whole: fc.Arbitrary<string>) =>
  fc
    .tuple(whole, fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 3 }))
    .map(([input, at, removed, inserted]) => {
      const bytes = Buffer.from(input)
      const from = at % (bytes.length + 1)
      const to = Math.min(bytes.length, from + (removed % 4))
      return new Uint8Array(Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(to)]))
    })

const restBody = objectOf(['url', 'event_subscriptions', 'description', 'enabled', 'headers', 'id'])
const PATH = '/api/connect/v1/webhooks'

/** Half of them without a valid API key. */
export const restInputs: fc.Arbitrary<Input> = fc.record({
  method: fc.constantFrom(...'GET POST POST PUT PUT DELETE PATCH OPTIONS HEAD'.split(' ')),
  path: fc.oneof(
    fc.constant(PATH),
    id.map((value) => `${PATH}/${encode(value)}`),
    id.map((value) => `${PATH}/${encode(value)}/secret`),
    id.map((value) => `${PATH}/${encode(value)}/secret/rotate`),
    fc.tuple(text, text).map((p) => `${PATH}?limit=${encode(p[0])}&cursor=${encode(p[1])}`),
    id.map((value) => `/graphql?query=${encode('{viewer{scopes}}')}&variables=${encode(value)}`),
    text.map((value) => `/${encode(value)}`),
  ),
  headers: fc.record(
    {
      'content-type': fc.oneof(
        { weight: 6, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: visible() },
      ),
      'idempotency-key': visible(),
      'content-encoding': fc.constantFrom('identity', 'identity', 'identity', 'gzip', 'br'),
      'posthorn-organization': fc.oneof(visible(), fc.constant('org_01h455vb4pex5vsknk084sn02q')),
      authorization: fc.oneof(
        visible(),
        visible().map((token) => `Bearer phk_${token}`),
      ),
    },
    { requiredKeys: ['content-type', 'content-encoding'] },
  ),
  body: fc.oneof(
    restBody,
    mangled(restBody),
    fc.uint8Array({ maxLength: 50 }).map((b) => new Uint8Array(b)),
  ),
})

const FIELDS = 'id url nodes webhooks events deliveries viewer node __typename state'.split(' ')
const argument = fc.tuple(
  fc.constantFrom('id', 'first', 'after', 'filter', 'input', 'ids', 'nothing'),
  fc.oneof(
    json.map((value) => JSON.stringify(value)),
    fc.constantFrom(...'$a $b ENUM {a:1e400} {url:"x"} """block""" -0 .5 [['.split(' ')),
  ),
)

const selection: fc.Arbitrary<string> = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc
    .tuple(
      fc.constantFrom(...FIELDS),
      fc.array(argument, { maxLength: 2 }),
      fc.constantFrom('', '', '@skip(if: true)', '@include(if: $a)', '@nothing'),
      fc.option(fc.array(tie('tree'), { minLength: 1, maxLength: 3 }), { depthSize: 'small' }),
    )
    .map(([name, args, directive, children]) => {
      const argumentList = args.length
        ? `(${args.map(([key, value]) => `${key}: ${value}`).join(' ')})`
        : ''
      return `${name}${argumentList} ${directive} ${children ? `{ ${children.join(' ')} }` : ''}`
    }),
}))['tree']

const MUTATION =
  'mutation($a: PublishEventInput!) { publishEvent(input: $a) { __typename ... on UserError { message } } }'
const NODE = 'query($a: ID!) { node(id: $a) { id } }'
const CREATE = 'mutation($a: CreateWebhookInput!) { createWebhook(input: $a) { __typename } }'
const document = fc.oneof(
  selection.map((fields) => `{ ${fields} }`),
  selection.map(
    (fields) =>
      `query A($a: Boolean!, $b: ID = 1) { ${fields} ...F } fragment F on Query { ${fields} }`,
  ),
  selection.map((fields) => `mutation { ${fields} }`),
  fc.constantFrom(MUTATION, NODE, CREATE, '{ __schema { types { name } } }'),
)
const event = objectOf(['type', 'data', 'timestamp', 'idempotencyKey', 'traceparent']).map(
  (input) => (input === '{}' ? `{"type":"${JOINED}","data":{}}` : input),
)
const webhook = objectOf(['url', 'eventSubscriptions', 'headers', 'description', 'enabled'])
const variables = fc
  .tuple(
    fc.constantFrom('a', 'b', '__proto__'),
    fc.oneof(
      event,
      webhook,
      id.map((v) => JSON.stringify(v)),
    ),
  )
  .map(([name, value]) => `{"${name}":${value}}`)
const params = fc.tuple(document, variables, fc.option(text)).map(([query, given, name]) => {
  const operation = name === null ? '' : `,"operationName":${JSON.stringify(name)}`
  return `{"query":${JSON.stringify(query)},"variables":${given}${operation}}`
})

export const graphqlInputs: fc.Arbitrary<Input> = fc.record({
  method: fc.constant('POST'),
  path: fc.constant('/graphql'),
  headers: fc.constant({ 'content-type': 'application/json' }),
  body: fc.oneof({ weight: 4, arbitrary: params }, { weight: 1, arbitrary: mangled(params) }),
})

function visible(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/)
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}
