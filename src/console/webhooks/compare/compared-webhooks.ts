import { portalLink } from '../../session/portal.ts'
import type { Session } from '../../session/session.tsx'

/** As many lines can be told apart. */
export const MAX_COMPARED = 6

/** The page with the charts of these webhooks. */
export const comparePath = (ids: readonly string[]) => `/webhooks/compare?webhook=${ids.join(',')}`

/** The portal has no page to compare webhooks. */
export const mayCompare = ({ can, webhookId }: Session) =>
  can('deliveries:read') && webhookId === null && portalLink === null

/** The dash patterns also tell the lines apart without color. */
export const LINE_LOOKS = [
  { color: 'var(--posthorn-mark-blue)', dashes: undefined },
  { color: 'var(--posthorn-mark-orange)', dashes: '6 3' },
  { color: 'var(--posthorn-mark-violet)', dashes: '2 3' },
  { color: 'var(--posthorn-mark-green)', dashes: undefined },
  { color: 'var(--posthorn-mark-red)', dashes: '6 3' },
  { color: 'var(--posthorn-mark-gray)', dashes: '2 3' },
] as const
