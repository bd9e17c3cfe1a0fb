import type { OpenAPIHono } from '@hono/zod-openapi'
import { registerDelivery } from './delivery-webhook.ts'
import { registerErrors } from './error-responses.ts'
import { registerReferences } from './references.ts'
import { newWebhookBodySchema, webhookChangesBodySchema } from './schemas.ts'

/** The head of the OpenAPI document. */
export const API_DESCRIPTION = {
  openapi: '3.1.0',
  info: {
    title: 'Posthorn Connect API',
    version: '1.0.0',
    description: `Registers the HTTPS endpoints of an organization, its webhooks, and describes the deliveries they get.

Every request carries \`Authorization: Bearer <API key>\`; the key names the organization. Bodies are JSON in UTF-8, at most
65,536 bytes. Names are in snake_case, times are RFC 3339 in UTC. Errors are RFC 9457 \`application/problem+json\`. Query
parameters that are not described here are ignored.`,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [
    { name: 'Webhooks', description: 'Registered endpoints: where deliveries go.' },
    { name: 'Signing secrets', description: 'The keys that sign deliveries.' },
    { name: 'Deliveries', description: 'What receivers get.' },
  ],
  security: [{ ApiKey: [] }],
}

/** Adds everything but the operations to the document. */
export function registerApi(registry: OpenAPIHono['openAPIRegistry'], headerPrefix: string): void {
  registry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'phk_…',
    description:
      'An API key of the organization. Each operation names the scope that the key needs.',
  })
  registry.register('NewWebhook', newWebhookBodySchema)
  registry.register('WebhookChanges', webhookChangesBodySchema)
  registerReferences(registry)
  registerErrors(registry)
  registerDelivery(registry, headerPrefix)
}
