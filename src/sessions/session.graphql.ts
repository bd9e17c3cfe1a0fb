import { SCOPES } from '../access/scope.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { NotFoundError, resultOf, ValidationError } from '../graphql/errors.ts'
import {
  type CreatedSession,
  createSession,
  DEFAULT_TTL_SECONDS,
  MAX_TTL_SECONDS,
  MIN_TTL_SECONDS,
} from './create-session.ts'
import { createPortalSession, type PortalSession } from './portal-session.ts'
import {
  MAX_FONT_FAMILY_LENGTH,
  MAX_PADDING,
  MAX_RADIUS,
  MAX_URL_LENGTH,
  type PortalTheme as Theme,
} from './portal-theme.ts'
import { PORTAL_PAGES } from './portal-url.ts'

const SESSION_SCOPES = SCOPES.filter((scope) => scope !== 'admin' && scope !== 'keys:manage')

/** The options of the input fields that portal and frontend sessions share. */
const sessionFields = {
  scopes: {
    required: true,
    description: `The scopes of the session: at least one of ${SESSION_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. The calling key must have each of them. A session for one webhook cannot have \`events:publish\`.`,
  },
  webhookId: {
    description:
      'The only webhook that the session can access: `wh_…`. Default: all webhooks of the organization.',
  },
  ttlSeconds: {
    defaultValue: DEFAULT_TTL_SECONDS,
    description: `The lifetime in seconds: ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}. The session ends earlier if the calling key expires or is revoked.`,
  },
} as const

const FrontendSession = builder.objectRef<CreatedSession>('FrontendSession').implement({
  description:
    'A session for a page of your own application: limited access to GraphQL for the holder of its token.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'The id of the session, which is an API key: `key_…`. `revokeApiKey` ends the session immediately. The audit log has the changes made in the session under this id.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session ends, unless it is revoked.',
    }),
  }),
})

const CreateFrontendSessionInput = builder.inputType('CreateFrontendSessionInput', {
  description: 'A frontend session to create.',
  fields: (t) => ({
    scopes: t.field({ type: ['Scope'], ...sessionFields.scopes }),
    webhookId: t.id(sessionFields.webhookId),
    ttlSeconds: t.int(sessionFields.ttlSeconds),
    name: t.string({
      description:
        'A label of 1 to 200 characters, such as your id of the user, which the audit log has with the id. Default: none.',
    }),
  }),
})

const CreateFrontendSessionSuccess = builder
  .objectRef<CreatedSession>('CreateFrontendSessionSuccess')
  .implement({
    description: 'The session was created.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description:
          'The token: `phs_…`. Pages send it to `/graphql` as `Authorization: Bearer <token>`. It is returned only once, because Posthorn stores only its hash.',
      }),
      frontendSession: t.field({
        type: FrontendSession,
        description: 'The session.',
        resolve: (session) => session,
      }),
    }),
  })

builder.mutationFields((t) => ({
  createFrontendSession: t.field({
    type: CreateFrontendSessionSuccess,
    description:
      'Creates a short-lived token for a page of your own application, limited to this organization, the given scopes and, optionally, one webhook. The token is valid for GraphQL only. Call this mutation from your server.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError, NotFoundError],
      directResult: true,
    },
    args: {
      input: t.arg({
        type: CreateFrontendSessionInput,
        required: true,
        description: 'The session.',
      }),
    },
    resolve: (_root, { input: { webhookId = null, ...input } }, context) =>
      createSession(
        context.prisma,
        { ...input, kind: 'frontend', webhookId },
        callerOf(context),
        context.actor,
      ),
  }),
}))

const PortalColorScheme = enumOf<NonNullable<Theme['colorScheme']>>(
  'PortalColorScheme',
  'The color scheme of the portal.',
  {
    light: 'Dark text on light.',
    dark: 'Light text on dark.',
    auto: 'The preference of the browser.',
  },
)

const PortalDensity = enumOf<NonNullable<Theme['density']>>(
  'PortalDensity',
  'The height of rows in the portal.',
  {
    compact: 'Rows of 32 pixels.',
    comfortable: 'Rows of 40 pixels.',
  },
)

const PortalPage = enumOf('PortalPage', 'A page of the portal.', PORTAL_PAGES)

const URL_BOUNDS = `\`https://…\`, at most ${MAX_URL_LENGTH.toLocaleString('en')} characters`

const PortalTheme = builder.inputType('PortalTheme', {
  description: 'The appearance of the portal.',
  fields: (t) => ({
    primaryColor: t.string({
      description: 'The color of buttons and links: `#rrggbb`. Default: as the console.',
    }),
    fontFamily: t.string({
      description: `The typeface, as a CSS \`font-family\`: at most ${MAX_FONT_FAMILY_LENGTH} letters, digits, spaces, commas, hyphens and quotes. Default: Inter, which Posthorn serves.`,
    }),
    fontUrl: t.string({
      description: `The URL of a WOFF2 file of the first font in \`fontFamily\`: ${URL_BOUNDS}. Its origin must be one of \`POSTHORN_PORTAL_ORIGINS\`, and must allow the portal by CORS; otherwise the browser uses the next font in \`fontFamily\`. Default: none.`,
    }),
    radius: t.int({
      description: `The radius of corners in pixels: 0 to ${MAX_RADIUS}. Default: 8.`,
    }),
    backgroundColor: t.string({
      description:
        'The color behind the portal in a frame, as `#rrggbb`. Default: transparent, so that the page of your application is behind it.',
    }),
    foregroundColor: t.string({
      description:
        'The color of text, as `#rrggbb`. Lines and secondary text are paler shades of it. Default: the color of the console.',
    }),
    padding: t.int({
      description: `The space around the portal in a frame, in pixels: 0 to ${MAX_PADDING}. Default: 16 with \`backgroundColor\`, otherwise 4.`,
    }),
    density: t.field({
      type: PortalDensity,
      description: 'The height of rows. Default: COMFORTABLE.',
    }),
    logoUrl: t.string({
      description: `The URL of a logo, which the header shows: ${URL_BOUNDS}. Default: none.`,
    }),
    showHeader: t.boolean({
      description:
        'Whether the portal in a frame has the header and the menu of the console. Without a frame it always has them. Default: false.',
    }),
    colorScheme: t.field({
      type: PortalColorScheme,
      description: 'The color scheme. Default: AUTO.',
    }),
  }),
})

const CreatePortalSessionInput = builder.inputType('CreatePortalSessionInput', {
  description: 'A portal session to create.',
  fields: (t) => ({
    scopes: t.field({ type: ['Scope'], ...sessionFields.scopes }),
    webhookId: t.id(sessionFields.webhookId),
    ttlSeconds: t.int(sessionFields.ttlSeconds),
    pages: t.field({
      type: [PortalPage],
      description:
        'The pages that the portal offers as tabs or in its menu: at least one, in a fixed order. The scopes limit what the session can read, not this list. Default: `[WEBHOOKS, DELIVERIES, EVENT_TYPES]`.',
    }),
    locale: t.string({
      description:
        'The language, as a BCP 47 tag: English, German (`de`), French (`fr`), Spanish (`es`), Portuguese (`pt`) or Japanese (`ja`), with numbers and dates as in its region. In any other language the portal is English. Default: `auto`, the language of the browser.',
    }),
    theme: t.field({
      type: PortalTheme,
      description: 'The appearance. Default: that of the console.',
    }),
  }),
})

const PortalSessionRef = builder.objectRef<PortalSession>('PortalSession').implement({
  description: 'A portal session: limited access to the console by its URL.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'The id of the session, which is an API key: `key_…`. `revokeApiKey` ends the session immediately.',
    }),
    url: t.exposeString('url', {
      description:
        'The URL to redirect to or to embed in a frame. It grants access: give it only to its user, and do not store it. It is returned only once.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'When the session ends: after `ttlSeconds`, or earlier if the API key that created it expires. Revoking that key ends the session immediately.',
    }),
  }),
})

builder.mutationField('createPortalSession', (t) =>
  t.field({
    type: PortalSessionRef,
    description:
      'Creates a short-lived URL of the portal to embed in another application. The portal is the console, limited to this organization, the given scopes and, optionally, one webhook.',
    authScopes: { scope: 'keys:manage' },
    errors: resultOf('portalSession', 'The session.', [ValidationError, NotFoundError]),
    args: {
      input: t.arg({
        type: CreatePortalSessionInput,
        required: true,
        description: 'The session.',
      }),
    },
    resolve: (_root, { input: { webhookId = null, ...input } }, context) =>
      createPortalSession(
        context.prisma,
        { ...input, webhookId },
        context.origin(),
        callerOf(context),
        context.actor,
      ),
  }),
)
