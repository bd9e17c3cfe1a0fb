import { NuqsAdapter } from 'nuqs/adapters/react-router/v8'
import type { ComponentType, ReactNode } from 'react'
import { createBrowserRouter, type RouteObject } from 'react-router'
import { NeedsScope } from './components/page/needs-scope.tsx'
import { mount } from './mount.ts'
import { isEmbedded } from './session/portal.ts'
import { useSession } from './session/session.tsx'
import { EmbeddedShell } from './shell/embedded-shell.tsx'
import { Home } from './shell/home.tsx'
import { BrokenPage, PageProgress } from './shell/page-outlet.tsx'
import { Shell } from './shell/shell.tsx'

type Load = () => Promise<{ default: ComponentType }>

/** Each page by its path. Its script is loaded when the page is first opened. */
const PAGES: Readonly<Record<string, Load>> = {
  overview: () => import('./overview/overview-page.tsx'),
  webhooks: () => import('./webhooks/list/webhooks-page.tsx'),
  'webhooks/new': () => import('./webhooks/form/new-webhook-page.tsx'),
  'webhooks/:id': () => import('./webhooks/page/webhook-page.tsx'),
  'webhooks/:id/edit': () => import('./webhooks/form/edit-webhook-page.tsx'),
  'webhooks/:id/recover': () => import('./tasks/recover-page.tsx'),
  events: () => import('./events/events-page.tsx'),
  'events/:id': () => import('./events/event-page.tsx'),
  consumers: () => import('./consumers/consumers-page.tsx'),
  deliveries: () => import('./deliveries/list/deliveries-page.tsx'),
  'deliveries/:id': () => import('./deliveries/page/delivery-page.tsx'),
  tasks: () => import('./tasks/tasks-page.tsx'),
  'tasks/:id': () => import('./tasks/task-page.tsx'),
  'event-types': () => import('./event-types/event-types-page.tsx'),
  'event-types/new': () => import('./event-types/event-type-form-page.tsx'),
  'event-types/:name': () => import('./event-types/event-type-page.tsx'),
  'event-types/:name/edit': () => import('./event-types/event-type-form-page.tsx'),
  'api-keys': () => import('./api-keys/api-keys-page.tsx'),
  'audit-log': () => import('./audit/audit-log-page.tsx'),
  alerts: () => import('./alerts/alerts-page.tsx'),
  portal: () => import('./portal/portal-page.tsx'),
  organizations: () => import('./organizations/organizations-page.tsx'),
  '*': () => import('./shell/not-found-page.tsx'),
}

/** The scope that a page needs, and its title for viewers without it. */
const NEEDS: Readonly<Record<string, { readonly scope: string; readonly title: string }>> = {
  consumers: { scope: 'events:read', title: 'Consumers' },
  tasks: { scope: 'deliveries:read', title: 'Jobs' },
  'api-keys': { scope: 'keys:manage', title: 'API keys' },
  'audit-log': { scope: 'keys:manage', title: 'Audit log' },
  alerts: { scope: 'webhooks:read', title: 'Alerts' },
  portal: { scope: 'keys:manage', title: 'Portal' },
  organizations: { scope: 'admin', title: 'Organizations' },
}

/** No session of the portal reads these. */
const NOT_IN_PORTAL = ['alerts', 'consumers', 'tasks']

/** Pages of the whole organization, which a session restricted to one webhook cannot read. */
const OF_ALL_WEBHOOKS = ['overview', 'events', 'consumers']

/** Called once the texts are loaded, because the script of the page at the address begins to load. */
export function createRouter() {
  const pages = Object.entries(PAGES).filter(
    ([path]) => mount.kind === 'console' || !NOT_IN_PORTAL.includes(path),
  )
  const children: RouteObject[] = [
    { index: true, element: <Home /> },
    // The viewer is signed in.
    { path: 'sign-in', element: <Home /> },
    { path: 'settings', element: <Home place="settings" /> },
    ...pages.map(([path, load]) => ({
      path,
      lazy: async () => {
        const { default: Page } = await load()
        return {
          element: (
            <Allowed path={path}>
              <Page />
            </Allowed>
          ),
        }
      },
    })),
  ]
  const withErrors = {
    errorElement: <BrokenPage />,
    hydrateFallbackElement: <PageProgress />,
    children,
  }
  const shell = (
    <NuqsAdapter defaultOptions={{ shallow: false }}>
      {isEmbedded ? <EmbeddedShell /> : <Shell />}
    </NuqsAdapter>
  )
  return createBrowserRouter([{ element: shell, children: [withErrors] }], {
    basename: mount.basename,
  })
}

function Allowed({ path, children }: { path: string; children: ReactNode }) {
  const { webhookId } = useSession()
  const needs = NEEDS[path]
  if (webhookId !== null && OF_ALL_WEBHOOKS.includes(path)) return <Home />
  return needs ? <NeedsScope {...needs}>{children}</NeedsScope> : children
}
