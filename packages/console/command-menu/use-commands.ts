import { useMantineColorScheme } from '@mantine/core'
import { mount } from '../mount.ts'
import { portalLink } from '../session/portal.ts'
import { type Session, useSession } from '../session/session.tsx'
import { navigationFor } from '../shell/navigation.ts'
import type { Command } from './command.ts'

/** The pages and actions that the viewer may open. */
export function useCommands(): readonly Command[] {
  const session = useSession()
  const { setColorScheme } = useMantineColorScheme()
  const schemes = (['light', 'dark', 'auto'] as const).map(
    (scheme): Command => ({
      id: `scheme-${scheme}`,
      group: 'actions',
      label: SCHEMES[scheme],
      run: () => setColorScheme(scheme),
    }),
  )
  const signOut: Command = {
    id: 'sign-out',
    group: 'actions',
    label: 'Sign out',
    run: () => void session.signOut(),
  }
  return [
    ...pagesOf(session),
    ...actionsOf(session),
    ...(!portalLink || portalLink.scheme === 'auto' ? schemes : []),
    ...(mount.kind === 'console' ? [signOut] : []),
  ]
}

const SCHEMES = {
  light: 'Light appearance',
  dark: 'Dark appearance',
  auto: 'System appearance',
}

function pagesOf(session: Session): readonly Command[] {
  return navigationFor(session)
    .flatMap(({ destinations }) => destinations)
    .map(({ label, to }) => ({ id: to, group: 'pages', label, to }))
}

function actionsOf({ can, webhookId }: Session): readonly Command[] {
  const of = (label: string, to: string): Command => ({ id: to, group: 'actions', label, to })
  return [
    ...(webhookId === null && can('webhooks:write') ? [of('Create webhook', '/webhooks/new')] : []),
    ...(webhookId === null && can('events:publish')
      ? [of('Publish event', '/events?publish=event')]
      : []),
    ...(can('keys:manage') ? [of('Create API key', '/api-keys?new=key')] : []),
  ]
}
