import { type Limits, SCOPES } from '../access/scope.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { createApiKey, revokeApiKey } from './api-key.ts'
import { rereadApiKey } from './find-api-key.ts'
import { DEFAULT_LIMITS, MAX_PER_SECOND } from './limits.ts'
import { updateApiKey } from './update-api-key.ts'

const LIMIT_RULE = `From 1 to ${MAX_PER_SECOND.toLocaleString('en')}, and at most what the key in use has; with the scope \`admin\`, any.`

const perSecond = (what: string, name: keyof Limits, otherwise: string) =>
  `${what} per second, on average over ten seconds. ${LIMIT_RULE} ${otherwise}: ${DEFAULT_LIMITS[name].toLocaleString('en')}.`

const REQUESTS = 'How many requests it may make'
const EVENTS = 'How many events it may publish'

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'An API key to make.',
  fields: (t) => ({
    scopes: t.stringList({
      required: true,
      description: `What it may do: at least one of ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. Only scopes that the key in use has itself; \`admin\` has all.`,
    }),
    name: t.string({ description: 'A free label of 1 to 200 characters.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'From then on it is refused. Default: it does not expire.',
    }),
    requestsPerSecond: t.int({ description: perSecond(REQUESTS, 'requestsPerSecond', 'Default') }),
    eventsPerSecond: t.int({ description: perSecond(EVENTS, 'eventsPerSecond', 'Default') }),
  }),
})

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  description: 'What to change of an API key. What is left out stays as it is.',
  fields: (t) => ({
    requestsPerSecond: t.int({ description: perSecond(REQUESTS, 'requestsPerSecond', 'Null') }),
    eventsPerSecond: t.int({ description: perSecond(EVENTS, 'eventsPerSecond', 'Null') }),
  }),
})

interface CreatedApiKey {
  readonly id: string
  readonly organizationId: string
  readonly token: string
}

const CreatedApiKeyRef = builder.objectRef<CreatedApiKey>('CreatedApiKey').implement({
  description: 'An API key that was just made.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'What to send as `Authorization: Bearer <token>`: `phk_…`. It is shown this once, as only its hash is kept.',
    }),
    apiKey: t.prismaField({
      type: 'ApiKey',
      description: 'The key.',
      resolve: (query, { id, organizationId }, _args, { prisma }) =>
        rereadApiKey(prisma, organizationId, id, query),
    }),
  }),
})

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKeyRef,
    nullable: true,
    description: 'Makes an API key of the organization. Needs the scope `keys:manage`.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'createdApiKey', description: 'The new key, with its token.' },
      result: { description: 'The key was made.' },
      union: { description: 'What `createApiKey` answers with.' },
    },
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_root, { input }, context) => {
      const caller = callerOf(context)
      const { organizationId } = caller
      const { scopes, name = null, expiresAt = null } = input
      const { requestsPerSecond = null, eventsPerSecond = null } = input
      const limits = { requestsPerSecond, eventsPerSecond }
      const wanted = { organizationId, scopes, name, expiresAt, ...limits, grantedBy: caller }
      const { key, token } = await createApiKey(context.prisma, wanted, context.actor)
      return { id: publicId('apiKey', key.id), organizationId, token }
    },
  }),

  updateApiKey: t.prismaField({
    type: 'ApiKey',
    nullable: true,
    description:
      'Changes how much an API key of the organization may ask for. Needs the scope `keys:manage`.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError, NotFoundError],
      dataField: { name: 'apiKey', description: 'The key, as it is now.' },
      result: { description: 'The key was changed.' },
      union: { description: 'What `updateApiKey` answers with.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the key: `key_…`.' }),
      input: t.arg({ type: UpdateApiKeyInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, context) => {
      const caller = callerOf(context)
      await updateApiKey(context.prisma, id, input, caller, context.actor)
      return await rereadApiKey(context.prisma, caller.organizationId, id, query)
    },
  }),

  revokeApiKey: t.prismaField({
    type: 'ApiKey',
    nullable: true,
    description:
      'Refuses an API key of the organization for good. From the moment this answers, no process accepts it; the one in use can be revoked too. Revoking it again changes nothing. Needs the scope `keys:manage`.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [NotFoundError],
      dataField: { name: 'apiKey', description: 'The key, revoked.' },
      result: { description: 'The key is revoked.' },
      union: { description: 'What `revokeApiKey` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the key: `key_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await revokeApiKey(context.prisma, id, organizationId, context.actor)
      return await rereadApiKey(context.prisma, organizationId, id, query)
    },
  }),
}))
