import { IconBolt, IconLayoutDashboard, IconSettings, IconWebhook } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { key, t } from '../language/t.ts'
import { portalLink } from '../session/portal.ts'
import type { Session } from '../session/session.tsx'
import { WORDS } from '../session/words.ts'

/** A page of a place. */
export interface Section {
  readonly label: string
  readonly to: string
  /** The scope that a viewer needs to see the page. Null for everybody. */
  readonly scope: string | null
}

/** An entry of the menu, with its pages. */
interface Place {
  readonly id: 'overview' | 'webhooks' | 'events' | 'settings'
  readonly label: string
  readonly icon: ComponentType<{ size?: number; stroke?: number }>
  readonly sections: readonly Section[]
}

const PLACES: readonly Place[] = [
  {
    id: 'overview',
    label: key('Overview'),
    icon: IconLayoutDashboard,
    sections: [{ label: key('Overview'), to: '/overview', scope: 'deliveries:read' }],
  },
  {
    id: 'webhooks',
    label: WORDS.webhooks,
    icon: IconWebhook,
    sections: [
      { label: WORDS.webhooks, to: '/webhooks', scope: 'webhooks:read' },
      { label: 'Consumers', to: '/consumers', scope: 'events:read' },
    ],
  },
  {
    id: 'events',
    label: key('Events'),
    icon: IconBolt,
    sections: [
      { label: key('Events'), to: '/events', scope: 'events:read' },
      { label: key('Deliveries'), to: '/deliveries', scope: 'deliveries:read' },
    ],
  },
  {
    id: 'settings',
    label: 'Settings',
    icon: IconSettings,
    sections: [
      { label: key('Event types'), to: '/event-types', scope: null },
      { label: 'Alerts', to: '/alerts', scope: 'webhooks:read' },
      { label: 'API keys', to: '/api-keys', scope: 'keys:manage' },
      { label: 'Portal', to: '/portal', scope: 'keys:manage' },
      { label: 'Jobs', to: '/tasks', scope: 'deliveries:read' },
      { label: 'Audit log', to: '/audit-log', scope: 'keys:manage' },
      { label: 'Organizations', to: '/organizations', scope: 'admin' },
    ],
  },
]

/** A portal session restricted to one webhook sees events only through deliveries. */
const OF_ONE_WEBHOOK = ['/webhooks', '/deliveries', '/event-types']

/**
 * The places of the menu with the pages that the viewer may see and, in the portal, that the host application chose. A
 * place without pages is left out. A place with one page has its name.
 */
export function placesFor({ can, webhookId }: Session): readonly Place[] {
  const isOffered = ({ to, scope }: Section) =>
    (scope === null || can(scope)) &&
    (portalLink === null || portalLink.pages.includes(to.slice(1))) &&
    (webhookId === null || OF_ONE_WEBHOOK.includes(to))
  const offered = (section: Section): Section =>
    webhookId !== null && section.to === '/webhooks'
      ? { ...section, label: t(WORDS.webhook), to: `/webhooks/${webhookId}` }
      : { ...section, label: t(section.label) }
  return PLACES.flatMap((place) => {
    const sections = place.sections.filter(isOffered).map(offered)
    const [first, second] = sections
    return first ? [{ ...place, sections, label: second ? t(place.label) : first.label }] : []
  })
}

/** The pages of all places. */
export const sectionsFor = (session: Session) =>
  placesFor(session).flatMap(({ sections }) => sections)
