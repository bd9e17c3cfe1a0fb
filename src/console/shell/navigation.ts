import {
  IconActivity,
  IconApi,
  IconAppWindow,
  IconBolt,
  IconBook,
  IconBriefcase,
  IconBuilding,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconMailbox,
  IconSend,
  IconWebhook,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { isExploreEnabled } from '../explore/is-enabled.ts'
import { hasTestReceiver } from '../receiver/is-there.ts'
import type { Session } from '../session/session.tsx'
import { t } from '../strings/t.ts'

export interface Destination {
  readonly label: string
  readonly to: string
  readonly icon: ComponentType<{ size?: number; stroke?: number }>
  /** The scope that a viewer needs to see the page. Null for everybody. */
  readonly scope: string | null
}

export interface DestinationGroup {
  readonly label: string | null
  readonly destinations: readonly Destination[]
}

const TEST_RECEIVER: Destination = {
  label: t('onboarding:receiver.title'),
  to: '/receiver',
  icon: IconMailbox,
  scope: 'events:read',
}

const NAVIGATION: readonly DestinationGroup[] = [
  {
    label: null,
    destinations: [
      {
        label: t('overview:title'),
        to: '/overview',
        icon: IconLayoutDashboard,
        scope: 'deliveries:read',
      },
      { label: t('webhooks:title'), to: '/webhooks', icon: IconWebhook, scope: 'webhooks:read' },
      { label: t('events:title'), to: '/events', icon: IconBolt, scope: 'events:read' },
      { label: t('deliveries:title'), to: '/deliveries', icon: IconSend, scope: 'deliveries:read' },
      {
        label: t('attempts:title'),
        to: '/attempts',
        icon: IconListDetails,
        scope: 'deliveries:read',
      },
      { label: t('live:title'), to: '/live', icon: IconActivity, scope: 'deliveries:read' },
    ],
  },
  {
    label: t('shell:menu.configuration'),
    destinations: [
      { label: t('eventTypes:title'), to: '/event-types', icon: IconBook, scope: null },
      { label: t('apiKeys:title'), to: '/api-keys', icon: IconKey, scope: 'keys:manage' },
      { label: t('audit:title'), to: '/audit-log', icon: IconHistory, scope: 'keys:manage' },
    ],
  },
  {
    label: t('shell:menu.developers'),
    destinations: [
      { label: t('portal:title'), to: '/portal', icon: IconAppWindow, scope: 'keys:manage' },
      ...(hasTestReceiver ? [TEST_RECEIVER] : []),
      ...(isExploreEnabled
        ? [{ label: t('explore:title'), to: '/explore', icon: IconApi, scope: null }]
        : []),
    ],
  },
  {
    label: t('shell:menu.operators'),
    destinations: [
      { label: t('organizations:title'), to: '/organizations', icon: IconBuilding, scope: 'admin' },
      { label: t('jobs:title'), to: '/jobs', icon: IconBriefcase, scope: 'admin' },
    ],
  },
]

/** The pages that the viewer may see, without empty groups. */
export function navigationFor({ can, webhookId }: Session): DestinationGroup[] {
  const groups = webhookId === null ? NAVIGATION : ofOneWebhook(webhookId)
  return groups
    .map(({ label, destinations }) => ({
      label,
      destinations: destinations.filter(({ scope }) => scope === null || can(scope)),
    }))
    .filter(({ destinations }) => destinations.length > 0)
}

/** The pages of a portal session restricted to one webhook. Such a session sees events only through deliveries. */
function ofOneWebhook(webhookId: string): DestinationGroup[] {
  const webhook = `/webhooks/${webhookId}`
  return [
    {
      label: null,
      destinations: [
        { label: t('shell:menu.webhook'), to: webhook, icon: IconWebhook, scope: 'webhooks:read' },
        {
          label: t('deliveries:title'),
          to: '/deliveries',
          icon: IconSend,
          scope: 'deliveries:read',
        },
        {
          label: t('attempts:title'),
          to: '/attempts',
          icon: IconListDetails,
          scope: 'deliveries:read',
        },
        { label: t('live:title'), to: '/live', icon: IconActivity, scope: 'deliveries:read' },
        { label: t('eventTypes:title'), to: '/event-types', icon: IconBook, scope: null },
      ],
    },
  ]
}
