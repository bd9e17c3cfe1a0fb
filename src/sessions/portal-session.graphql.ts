import { SCOPES } from '../access/scope.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import {
  createPortalSession,
  DEFAULT_TTL_SECONDS,
  MAX_TTL_SECONDS,
  MIN_TTL_SECONDS,
  type PortalSession,
} from './portal-session.ts'
import { type ColorScheme, MAX_LOGO_URL_LENGTH } from './portal-url.ts'

const PortalColorScheme = builder.enumType('PortalColorScheme', {
  description: 'How light the portal is.',
  values: {
    LIGHT: { value: 'light', description: 'Dark text on light.' },
    DARK: { value: 'dark', description: 'Light text on dark.' },
    AUTO: { value: 'auto', description: 'As the browser of the reader prefers.' },
  } satisfies Record<string, { value: ColorScheme; description: string }>,
})

const PortalTheme = builder.inputType('PortalTheme', {
  description: 'How the portal looks in the host application.',
  fields: (t) => ({
    primaryColor: t.string({
      description: 'The color of buttons and links, as `#rrggbb`. Default: that of the console.',
    }),
    logoUrl: t.string({
      description: `The address of a logo: \`https://…\`, at most ${MAX_LOGO_URL_LENGTH.toLocaleString('en')} characters. Default: none.`,
    }),
    colorScheme: t.field({ type: PortalColorScheme, description: 'Default: AUTO.' }),
  }),
})

const PORTAL_SCOPES = SCOPES.filter((scope) => scope !== 'admin' && scope !== 'keys:manage')

const CreatePortalSessionInput = builder.inputType('CreatePortalSessionInput', {
  description: 'A portal session to make.',
  fields: (t) => ({
    scopes: t.stringList({
      required: true,
      description: `What it may do: at least one of ${PORTAL_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. Only scopes that the key in use has itself, and without \`events:publish\` where it is for one webhook.`,
    }),
    webhookId: t.id({
      description:
        'The only webhook that it may see and change: `wh_…`. Default: all of the organization.',
    }),
    ttlSeconds: t.int({
      defaultValue: DEFAULT_TTL_SECONDS,
      description: `How long it lasts, in seconds: ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}. It ends earlier where the API key that makes it does.`,
    }),
    theme: t.field({ type: PortalTheme, description: 'How it looks.' }),
  }),
})

const PortalSessionRef = builder.objectRef<PortalSession>('PortalSession').implement({
  description: 'A session of the portal: the pages of the console for whoever has its URL.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The id of the API key that it is: `key_…`. `revokeApiKey` ends it at once.',
    }),
    url: t.exposeString('url', {
      description:
        'What to redirect to, or to show in a frame: give it to the one person it is for, and store it nowhere. It is shown this once.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'When it ends: after `ttlSeconds`, or when the API key that made it expires, whichever is first. It ends at once when that key is revoked.',
    }),
  }),
})

builder.mutationField('createPortalSession', (t) =>
  t.field({
    type: PortalSessionRef,
    nullable: true,
    description:
      'Makes a short-lived URL of the portal, to embed in another application: the pages of the console, cut down to this organization, some scopes and, if wanted, one webhook. Needs the scope `keys:manage`.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError, NotFoundError],
      dataField: { name: 'portalSession', description: 'The session.' },
      result: { description: 'The session was made.' },
      union: { description: 'What `createPortalSession` answers with.' },
    },
    args: {
      input: t.arg({
        type: CreatePortalSessionInput,
        required: true,
        description: 'The session.',
      }),
    },
    resolve: (_root, { input }, context) =>
      createPortalSession(
        context.prisma,
        input,
        context.origin(),
        callerOf(context),
        context.actor,
      ),
  }),
)
