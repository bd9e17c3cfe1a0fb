import {
  IconAppWindow,
  IconBell,
  IconBolt,
  IconBook,
  IconBuilding,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconProgressCheck,
  IconSend,
  IconTransferIn,
  IconWebhook,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { key, t } from '../language/t.ts'
import { portalLink } from '../session/portal.ts'
import type { Session } from '../session/session.tsx'
import { WORDS } from '../session/words.ts'

export interface Destination {
  readonly label: string
  readonly to: string
  readonly icon: ComponentType<{ size?: number; stroke?: number }>
  /** The scope that a viewer needs to see the page. Null for everybody. */
  readonly scope: string | null
}

interface DestinationGroup {
  readonly label: string | null
  readonly destinations: readonly Destination[]
}

const NAVIGATION: readonly DestinationGroup[] = [
  {
    label: null,
    destinations: [
      {
        label: key('Overview'),
        to: '/overview',
        icon: IconLayoutDashboard,
        scope: 'deliveries:read',
      },
      { label: WORDS.webhooks, to: '/webhooks', icon: IconWebhook, scope: 'webhooks:read' },
      { label: key('Events'), to: '/events', icon: IconBolt, scope: 'events:read' },
      { label: 'Consumers', to: '/consumers', icon: IconTransferIn, scope: 'events:read' },
      { label: key('Deliveries'), to: '/deliveries', icon: IconSend, scope: 'deliveries:read' },
      { label: key('Attempts'), to: '/attempts', icon: IconListDetails, scope: 'deliveries:read' },
      { label: 'Tasks', to: '/tasks', icon: IconProgressCheck, scope: 'deliveries:read' },
    ],
  },
  {
    label: key('Configuration'),
    destinations: [
      { label: key('Event types'), to: '/event-types', icon: IconBook, scope: null },
      { label: 'Alerts', to: '/alerts', icon: IconBell, scope: 'webhooks:read' },
      { label: 'API keys', to: '/api-keys', icon: IconKey, scope: 'keys:manage' },
      { label: 'Audit log', to: '/audit-log', icon: IconHistory, scope: 'keys:manage' },
    ],
  },
  {
    label: 'Developers',
    destinations: [{ label: 'Portal', to: '/portal', icon: IconAppWindow, scope: 'keys:manage' }],
  },
  {
    label: 'Operators',
    destinations: [
      { label: 'Organizations', to: '/organizations', icon: IconBuilding, scope: 'admin' },
    ],
  },
]

/** The pages that the viewer may see and, in the portal, that the host application chose; without empty groups. */
export function navigationFor({ can, webhookId }: Session): DestinationGroup[] {
  const groups = webhookId === null ? NAVIGATION : ofOneWebhook(webhookId)
  return groups
    .map(({ label, destinations }) => ({
      label: label && t(label),
      destinations: destinations
        .filter(({ scope, to }) => (scope === null || can(scope)) && isOffered(to))
        .map((destination) => ({ ...destination, label: t(destination.label) })),
    }))
    .filter(({ destinations }) => destinations.length > 0)
}

function isOffered(to: string): boolean {
  return portalLink === null || portalLink.pages.includes(to.split('/')[1] ?? '')
}

/** Of a portal session restricted to one webhook, which sees events only through deliveries. */
const OF_ONE_WEBHOOK = ['/deliveries', '/attempts', '/event-types']

function ofOneWebhook(webhookId: string): DestinationGroup[] {
  const webhook = { label: WORDS.webhook, to: `/webhooks/${webhookId}`, icon: IconWebhook }
  const others = NAVIGATION.flatMap(({ destinations }) => destinations)
  return [
    {
      label: null,
      destinations: [
        { ...webhook, scope: 'webhooks:read' },
        ...others.filter(({ to }) => OF_ONE_WEBHOOK.includes(to)),
      ],
    },
  ]
}
