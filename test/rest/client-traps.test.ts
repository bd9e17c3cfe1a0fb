import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { clientTraps } from './client-traps.ts'

/** The document of the server, to change. */
// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
const served = (): any => structuredClone(openApiDocument('/'))

test('the OpenAPI document has none of the names that break generated clients', () => {
  expect(clientTraps(served())).toEqual([])
})

// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
type Change = (document: any) => void

test.each<[what: string, change: Change, trap: string]>([
  [
    'a schema with the name of the constructor of another one',
    ({ components }) => {
      components.schemas.NewWebhook = { type: 'object' }
    },
    'NewWebhook: generated, of Webhook',
  ],
  [
    'a schema with the name of the parameters of an operation',
    ({ components }) => {
      components.schemas.CreateWebhookRequest = { type: 'object' }
    },
    'CreateWebhookRequest: generated, of createWebhook',
  ],
  [
    'a schema with the name of a class of the language',
    ({ components }) => {
      components.schemas.Error = { type: 'object' }
    },
    'Error: generated, a reserved name',
  ],
  [
    'a schema that only the section webhooks references',
    ({ components, webhooks }) => {
      components.schemas.Delivery = { type: 'object' }
      webhooks.delivery.post.requestBody.content['application/json'].schema = {
        $ref: '#/components/schemas/Delivery',
      }
    },
    '#/components/schemas/Delivery: only from webhooks, so it is removed',
  ],
  [
    'two schemas that differ in the case alone',
    ({ components }) => {
      components.schemas.WebHook = { type: 'object' }
    },
    'webhook: twice, but for the case',
  ],
  [
    'an enumeration without a name',
    ({ components }) => {
      components.schemas.Webhook.properties.state = { type: 'string', enum: ['a', 'b'] }
    },
    'Webhook.state: without a name',
  ],
  [
    'two fields that differ in the case alone',
    ({ components }) => {
      components.schemas.Webhook.properties.createdAt = { type: 'string' }
    },
    'Webhook.createdat: twice, but for the case',
  ],
  [
    'an operation with the id of another one',
    ({ paths }) => {
      paths['/api/connect/v1/webhooks'].get.operationId = 'createWebhook'
    },
    'createwebhook: twice',
  ],
  [
    'an operation whose id is not in camelCase',
    ({ paths }) => {
      paths['/api/connect/v1/webhooks'].get.operationId = 'list_webhooks'
    },
    'list_webhooks: not in camelCase',
  ],
])('the check finds %s', (_what, change, trap) => {
  const document = served()
  change(document)
  expect(clientTraps(document)).toContain(trap)
})
