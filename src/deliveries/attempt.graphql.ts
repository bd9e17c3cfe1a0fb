import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'

builder.prismaNode('Attempt', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, organizationId: callerOf(context).organizationId }),
  nullable: true,
  extensions: { readScope: 'deliveries:read' },
  select: { id: true },
  fields: (t) => ({
    delivery: t.relation('delivery', {
      // Null once it is past its retention: attempts are made later, and are kept that much longer.
      nullable: true,
      description: 'What it was made for. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
    }),
    number: t.exposeInt('number'),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    succeeded: t.exposeBoolean('succeeded'),
    durationMs: t.exposeInt('durationMs'),
    firstByteMs: t.exposeInt('firstByteMs', { nullable: true }),
    status: t.exposeInt('status', { nullable: true }),
    errorCode: t.exposeString('errorCode', { nullable: true }),
    error: t.exposeString('error', { nullable: true }),
    requestUrl: t.exposeString('requestUrl'),
    requestSignature: t.exposeString('requestSignature', { nullable: true }),
    requestHeaderNames: t.exposeStringList('requestHeaderNames'),
    responseHeaders: t.field({
      type: ['Header'],
      nullable: true,
      description: 'The headers of the response, by lower-case name. Null when there was none.',
      select: { responseHeaders: true },
      resolve: ({ responseHeaders }) =>
        responseHeaders === null
          ? null
          : Object.entries(responseHeaders).map(([name, value]) => ({
              name,
              value: String(value),
            })),
    }),
    responseBody: t.string({
      nullable: true,
      description:
        'The first 16 KiB of the response, read as UTF-8; what is not, reads �. Null when there was no response.',
      select: { responseBody: true },
      resolve: ({ responseBody }) => responseBody && Buffer.from(responseBody).toString('utf8'),
    }),
    responseBodyTruncated: t.exposeBoolean('responseBodyTruncated'),
  }),
})
