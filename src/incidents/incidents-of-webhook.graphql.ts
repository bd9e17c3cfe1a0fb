import { builder } from '../graphql/builder.ts'
import { lookUp } from '../graphql/look-up.ts'
import { findOpenIncidents } from './find-incidents.ts'

builder.prismaObjectFields('Webhook', (t) => ({
  openIncident: t.prismaField({
    type: 'Incident',
    nullable: true,
    description: 'The incident of the webhook that is not closed. Null if there is none.',
    authScopes: { scope: 'webhooks:read' },
    resolve: (query, { id, organizationId }, _args, context, info) =>
      lookUp(findOpenIncidents, query, context, info, organizationId)(id),
  }),
  incidents: t.relatedConnection(
    'incidents',
    {
      cursor: 'id',
      semanticNonNull: true,
      description: 'The incidents of the webhook, newest first.',
      authScopes: { scope: 'webhooks:read' },
      query: { orderBy: { id: 'desc' } },
    },
    { name: 'WebhookIncidentConnection', description: 'A page of incidents of a webhook.' },
    { name: 'WebhookIncidentEdge', description: 'An incident of a webhook in a page.' },
  ),
}))
