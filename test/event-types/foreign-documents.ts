/** A made-up document of the shape of a public one, and what of it is tried. */
export interface ForeignDocument {
  /** JSON. */
  readonly text: string
  /** Options of `posthorn event-type import`. */
  readonly options?: readonly string[]
  /** The event types that are imported. */
  readonly types: readonly string[]
  /** Why others, or examples, are not. */
  readonly refused?: readonly RegExp[]
  readonly warnings?: readonly RegExp[]
  /** Data of the first type that its schema accepts, beside its example. */
  readonly accepts: readonly string[]
  /** Data that it refuses. */
  readonly refuses: readonly string[]
  /** What a webhook asks of the example of the first type, and gets. */
  readonly selection: readonly [document: string, data: unknown]
}

const openApi = (
  webhooks: Record<string, { schema: object; example?: unknown }>,
  more: object = {},
): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Webhooks', version: '1' },
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([name, media]) => [
        name,
        {
          post: {
            summary: `About ${name}.`,
            requestBody: { content: { 'application/json': media } },
            responses: { 200: { description: 'Taken.' } },
          },
        },
      ]),
    ),
    ...more,
  })

const catalogue = (types: Record<string, { schema: object; example: unknown }>): string =>
  JSON.stringify({
    eventTypes: Object.entries(types).map(([name, type]) => ({
      name,
      description: `About ${name}.`,
      ...type,
    })),
  })

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object) => ({ type: 'object', properties })
/** One of the properties is required. */
const requiring = (required: string, properties: object) => ({
  ...object(properties),
  required: [required],
})
const components = (schemas: object) => ({ components: { schemas } })
const range = (length: number) => [...Array(length).keys()]
const manyOf = (count: number, name: (i: number) => string, of: object) =>
  Object.fromEntries(range(count).map((i) => [name(i), of]))

const DOCUMENTS: Record<string, ForeignDocument> = {
  'OpenAPI of a sender, with nullable and an example that does not fit': {
    text: openApi({
      'foreign_a.failed': {
        schema: requiring('id', {
          id: { type: 'string' },
          // Without a type, as documents that were 3.0 have it.
          reason: { nullable: true, enum: ['timeout', 'refused', null] },
          note: { type: 'string', nullable: true },
          sure: { type: ['string', 'null'], nullable: false },
        }),
        example: { id: 'a', reason: 'timeout', note: null },
      },
      'foreign_a.sent': { schema: object({ id: { type: 'integer' } }), example: { id: 'one' } },
    }),
    types: ['foreign_a.failed', 'foreign_a.sent'],
    warnings: [/foreign_a\.sent.*example/s],
    accepts: ['{"id":"b","reason":null,"note":"x","sure":"y"}'],
    refuses: ['{"id":1}', '{"id":"b","reason":"other"}'],
    selection: ['{ ... on ForeignAFailed { note reason } }', { note: null, reason: 'timeout' }],
  },
  'OpenAPI of a payment provider, with names that need others, and a discriminator': {
    text: openApi(
      {
        '/AUTHORISATION': {
          schema: to('Payment'),
          example: { method: { kind: 'card', brand: 'visa' }, amount: { value: 19.99 } },
        },
        '/REFUND': { schema: to('Payment') },
      },
      components({
        Payment: requiring('method', {
          method: {
            oneOf: [to('Card'), to('Transfer')],
            discriminator: {
              propertyName: 'kind',
              mapping: { card: '#/components/schemas/Card', iban: 'Transfer' },
            },
          },
          amount: object({ value: { type: 'number', multipleOf: 0.01 } }),
        }),
        Card: requiring('brand', { kind: { const: 'card' }, brand: { type: 'string' } }),
        Transfer: requiring('iban', { kind: { const: 'iban' }, iban: { type: 'string' } }),
      }),
    ),
    options: ['--name', '/AUTHORISATION=foreign_b.authorised'],
    types: ['foreign_b.authorised'],
    refused: [/\/REFUND.*--name/s],
    accepts: [
      '{"method":{"kind":"iban","iban":"x"},"amount":{"value":4.35}}',
      '{"method":{"kind":"card","brand":"x"},"amount":{"value":1.11}}',
    ],
    refuses: [
      '{"method":{"kind":"card"}}',
      '{"method":{"kind":"card","brand":"x"},"amount":{"value":0.001}}',
    ],
    selection: ['{ ... on ForeignBAuthorised { amount { value } } }', { amount: { value: 19.99 } }],
  },
  'OpenAPI of a billing engine, with schemas of 80 KB of which most is description': {
    text: openApi({
      'foreign_c.invoiced': {
        schema: requiring(
          'field_0',
          manyOf(300, (i) => `field_${i}`, {
            type: 'string',
            description: 'What it is. '.repeat(20),
            examples: ['x'.repeat(40)],
          }),
        ),
        example: { field_0: 'a' },
      },
    }),
    types: ['foreign_c.invoiced'],
    accepts: ['{"field_0":"b","field_299":"c"}'],
    refuses: ['{}', '{"field_0":1}'],
    selection: ['{ ... on ForeignCInvoiced { field_0 } }', { field_0: 'a' }],
  },
  'OpenAPI of a large API, with bounds of int64 far from its webhooks and in them': {
    text: openApi({
      'foreign_d.completed': {
        schema: object({
          seed: { type: 'integer', minimum: -1234567890, maximum: 1234567891 },
          created: { type: 'integer' },
        }),
        example: { seed: 7, created: 1 },
      },
    })
      .replace('-1234567890', '-9223372036854775808')
      .replace('1234567891', '9223372036854776000')
      .replace(
        '"info"',
        '"paths":{"/models":{"get":{"parameters":[{"in":"query","name":"seed","schema":{"maximum":18446744073709551615}}],"responses":{}}}},"info"',
      ),
    types: ['foreign_d.completed'],
    accepts: ['{"seed":9007199254740991}'],
    refuses: ['{"seed":"x"}', '{"seed":1.5}'],
    selection: ['{ ... on ForeignDCompleted { seed } }', { seed: 7 }],
  },
  'JSON Schemas of draft-07 of a code host, with definitions and choices': {
    text: catalogue({
      'foreign_e.opened': {
        schema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          definitions: {
            user: requiring('login', {
              login: { type: 'string' },
              url: { type: 'string', format: 'uri' },
            }),
          },
          ...requiring('action', {
            action: { type: 'string', enum: ['opened'] },
            sender: { $ref: '#/definitions/user' },
            assignee: { anyOf: [{ $ref: '#/definitions/user' }, { type: 'null' }] },
            labels: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] },
            size: { not: { type: 'string', maxLength: 1 } },
          }),
          additionalProperties: false,
        },
        example: { action: 'opened', sender: { login: 'ada' }, assignee: null },
      },
    }),
    types: ['foreign_e.opened'],
    accepts: ['{"action":"opened","labels":["a",1,true]}', '{"action":"opened","size":7}'],
    refuses: [
      '{"action":"closed"}',
      '{"action":"opened","labels":[1]}',
      '{"action":"opened","more":1}',
    ],
    selection: ['{ ... on ForeignEOpened { sender { login } } }', { sender: { login: 'ada' } }],
  },
  'a compound document, with identifiers, anchors and dynamic references': {
    text: catalogue({
      'foreign_f.emitted': {
        schema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: 'https://schemas.example/event',
          $defs: {
            source: { $id: 'https://schemas.example/source', type: 'string', minLength: 1 },
            level: { $anchor: 'level', type: 'integer', maximum: 3 },
            depth: { $dynamicAnchor: 'depth', type: 'integer', maximum: 3 },
          },
          ...object({
            source: { $ref: 'https://schemas.example/source' },
            relative: { $ref: 'source' },
            level: { $ref: '#level' },
            again: { $ref: 'https://schemas.example/event#level' },
            depth: { $dynamicRef: '#depth' },
          }),
        },
        example: { source: 'a', level: 1 },
      },
    }),
    types: ['foreign_f.emitted'],
    accepts: ['{"relative":"b","again":3,"depth":3}'],
    refuses: ['{"source":""}', '{"relative":""}', '{"level":4}', '{"again":4}', '{"depth":4}'],
    selection: ['{ ... on ForeignFEmitted { source level } }', { source: 'a', level: 1 }],
  },
  'JSON Schemas of draft-04': {
    text: catalogue({
      'foreign_g.measured': {
        schema: {
          $schema: 'http://json-schema.org/draft-04/schema#',
          id: 'http://schemas.example/measured',
          ...requiring('value', { value: { type: 'number', minimum: 0, exclusiveMinimum: true } }),
        },
        example: { value: 1.5 },
      },
    }),
    types: ['foreign_g.measured'],
    accepts: ['{"value":0.1}'],
    refuses: ['{"value":0}', '{}'],
    selection: ['{ ... on ForeignGMeasured { value } }', { value: 1.5 }],
  },
  'OpenAPI with components that lead back to themselves, and unions of objects': {
    text: openApi(
      {
        'foreign_h.moved': {
          schema: to('Folder'),
          example: { name: 'a', children: [{ name: 'b' }], parent: null },
        },
      },
      components({
        Folder: requiring('name', {
          name: { type: 'string' },
          parent: { oneOf: [{ type: 'null' }, to('Folder')] },
          children: { type: 'array', items: to('Node') },
        }),
        Node: { anyOf: [to('Folder'), to('File')] },
        File: requiring('bytes', { bytes: { type: 'integer' }, of: to('Folder') }),
      }),
    ),
    types: ['foreign_h.moved'],
    accepts: ['{"name":"x","children":[{"bytes":1,"of":{"name":"y"}}]}'],
    refuses: ['{"name":"x","children":[{}]}', '{"name":"x","parent":{}}'],
    selection: ['{ ... on ForeignHMoved { name } }', { name: 'a' }],
  },
  'OpenAPI of its own dialect, with references, numbers and pointers in data': {
    text: openApi(
      {
        'foreign_i.linked': {
          schema: object({
            ref: {
              type: 'object',
              default: { $ref: '#/nowhere' },
              examples: [{ $ref: 7, $async: true }],
            },
            'a/b~c': { type: 'string', pattern: '^[\\w.-]+$' },
          }),
          example: { ref: { $ref: 'users' }, 'a/b~c': 'a.b-c' },
        },
      },
      { jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base' },
    ),
    types: ['foreign_i.linked'],
    accepts: ['{"ref":{}}'],
    refuses: ['{"ref":1}', '{"a/b~c":"a b"}'],
    selection: ['{ ... on ForeignILinked { ref } }', { ref: { $ref: 'users' } }],
  },
  'OpenAPI of 300 webhooks that share their components': {
    text: openApi(
      Object.fromEntries(
        range(300).map((i) => [
          `foreign_j.type_${i}`,
          { schema: object({ n: { const: i }, actor: to('Actor') }), example: { n: i } },
        ]),
      ),
      components({
        Actor: object(manyOf(60, (i) => `field_${i}_url`, { type: 'string' })),
      }),
    ),
    types: range(300).map((i) => `foreign_j.type_${i}`),
    accepts: ['{"n":0,"actor":{"field_1_url":"x"}}'],
    refuses: ['{"n":1}', '{"n":0,"actor":{"field_1_url":1}}'],
    selection: ['{ ... on ForeignJType0 { n } }', { n: 0 }],
  },
}

export const FOREIGN_DOCUMENTS = Object.entries(DOCUMENTS)
