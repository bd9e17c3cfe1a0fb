import type { OpenAPIHono } from '@hono/zod-openapi'
import { registerErrors } from './error-responses.ts'
import { registerReferences } from './references.ts'
import { createWebhookInputSchema, updateWebhookInputSchema } from './schemas.ts'

/** The general part of the OpenAPI document. */
export const API_DESCRIPTION = {
  openapi: '3.1.0',
  info: {
    title: 'Posthorn Connect API',
    version: '1.0.0',
    description: `Manages the webhooks of an organization, which are registered HTTPS endpoints, and describes the deliveries that they receive.

Every request needs the header \`Authorization: Bearer <API key>\`; the key determines the organization. Bodies are JSON in UTF-8
of at most 65,536 bytes. Field names are in snake_case, and times are RFC 3339 in UTC. Errors are RFC 9457
\`application/problem+json\`. Unknown query parameters are ignored, and so is a slash at the end of a path.

A string in a body must consist of whole characters: a lone surrogate, such as \`"\\ud800"\`, is rejected (422) with the name of the field.

Every response has the header \`X-Request-Id\`: that of the request if it has 1 to 128 visible ASCII characters, otherwise a new one.`,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [
    { name: 'Webhooks', description: 'Registered endpoints, which receive deliveries.' },
    { name: 'Signing secrets', description: 'The keys that sign deliveries.' },
  ],
  security: [{ ApiKey: [] }],
}

/** Adds all components, but no operations, to the document. */
export function registerApi(registry: OpenAPIHono['openAPIRegistry']): void {
  registry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'phk_…',
    description:
      'An API key of the organization. Each operation states the scope that the key needs.',
  })
  registry.register('CreateWebhookInput', createWebhookInputSchema)
  registry.register('UpdateWebhookInput', updateWebhookInputSchema)
  registerReferences(registry)
  registerErrors(registry)
}
