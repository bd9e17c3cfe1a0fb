import { builder } from '../../graphql/builder.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import { NotFoundError } from '../../graphql/errors.ts'
import { type InputFields, mutation } from '../../graphql/mutation.ts'
import { settingInputs } from '../../graphql/setting-fields.ts'
import { SCOPES } from '../access/scope.ts'
import {
  type CreatedSession,
  createSession,
  DEFAULT_TTL_SECONDS,
  MAX_TTL_SECONDS,
  MIN_TTL_SECONDS,
} from './create-session.ts'
import {
  createPortalSession,
  PORTAL_PAGES,
  PORTAL_THEME,
  type PortalSession,
} from './portal-session.ts'

const SESSION_SCOPES = SCOPES.filter((scope) => scope !== 'admin' && scope !== 'keys:manage')

/** The input fields that portal and frontend sessions share. */
const sessionInputs = (t: InputFields) => ({
  scopes: t.field({
    type: ['Scope'],
    required: true,
    description: `The scopes of the session: at least one of ${SESSION_SCOPES.map((scope) => `\`${scope}\``).join(', ')}. The calling key must have each of them. A session for one webhook cannot have \`events:publish\`.`,
  }),
  webhookId: t.id({
    description:
      'The only webhook that the session can access: `wh_…`. Default: all webhooks of the organization.',
  }),
  ttlSeconds: t.int({
    defaultValue: DEFAULT_TTL_SECONDS,
    description: `The lifetime in seconds: ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}. The session ends earlier if the calling key expires or is revoked.`,
  }),
})

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

mutation('createFrontendSession', {
  description:
    'Creates a short-lived token for a page of your own application, limited to this organization, the given scopes and, optionally, one webhook. The token is valid for GraphQL only. Call this mutation from your server.',
  scope: 'keys:manage',
  input: {
    description: 'A frontend session to create.',
    fields: (t) => ({
      ...sessionInputs(t),
      name: t.string({
        description:
          'A label of 1 to 200 characters, such as your id of the user, which the audit log has with the id. Default: none.',
      }),
    }),
  },
  errors: [NotFoundError],
  returns: ['frontendSession', FrontendSession, 'The session.'],
  success: 'The session was created.',
  fields: (t) => ({
    token: t.string({
      description:
        'The token: `phs_…`. Pages send it to `/graphql` as `Authorization: Bearer <token>`. It is returned only once, because Posthorn stores only its hash.',
      resolve: (session) => (session as unknown as CreatedSession).token,
    }),
  }),
  run: ({ input }, { prisma, actor }, caller) =>
    createSession(prisma, { ...input, kind: 'frontend' }, caller, actor),
})

enumOf('PortalColorScheme', 'The color scheme of the portal.', {
  light: 'Dark text on light.',
  dark: 'Light text on dark.',
  auto: 'The preference of the browser.',
})

enumOf('PortalDensity', 'The height of rows in the portal.', {
  compact: 'Rows of 32 pixels.',
  comfortable: 'Rows of 40 pixels.',
})

const PortalPage = enumOf('PortalPage', 'A page of the portal.', PORTAL_PAGES)

const PortalThemeInput = builder.inputType('PortalTheme', {
  description: 'The appearance of the portal.',
  fields: (t) => settingInputs(t, PORTAL_THEME, 'new'),
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

mutation('createPortalSession', {
  description:
    'Creates a short-lived URL of the portal to embed in another application. The portal is the console, limited to this organization, the given scopes and, optionally, one webhook.',
  scope: 'keys:manage',
  input: {
    description: 'A portal session to create.',
    fields: (t) => ({
      ...sessionInputs(t),
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
        type: PortalThemeInput,
        description: 'The appearance. Default: that of the console.',
      }),
    }),
  },
  errors: [NotFoundError],
  returns: ['portalSession', PortalSessionRef, 'The session.'],
  run: ({ input }, { prisma, actor, origin }, caller) =>
    createPortalSession(prisma, input, origin(), caller, actor),
})
