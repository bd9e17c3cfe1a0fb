import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { isExploreEnabled } from './explore/is-enabled.ts'
import { hasTestReceiver } from './receiver/is-there.ts'
import { isEmbedded } from './session/portal.ts'
import { useSession } from './session/session.tsx'
import { EmbeddedShell } from './shell/embedded-shell.tsx'
import { navigationFor } from './shell/navigation.ts'
import { Shell } from './shell/shell.tsx'

type Page = LazyExoticComponent<ComponentType>

/** Each page is a separate script, loaded when it is first opened. */
const PAGES: Readonly<Record<string, Page>> = {
  overview: lazy(() => import('./overview/overview-page.tsx')),
  webhooks: lazy(() => import('./webhooks/list/webhooks-page.tsx')),
  'webhooks/new': lazy(() => import('./webhooks/form/new-webhook-page.tsx')),
  'webhooks/:id': lazy(() => import('./webhooks/page/webhook-page.tsx')),
  'webhooks/:id/edit': lazy(() => import('./webhooks/form/edit-webhook-page.tsx')),
  'webhooks/:id/recover': lazy(() => import('./webhooks/recovery/recover-page.tsx')),
  events: lazy(() => import('./events/events-page.tsx')),
  'events/:id': lazy(() => import('./events/event-page.tsx')),
  attempts: lazy(() => import('./attempts/attempts-page.tsx')),
  deliveries: lazy(() => import('./deliveries/deliveries-page.tsx')),
  'deliveries/:id': lazy(() => import('./deliveries/delivery-page.tsx')),
  'tasks/:id': lazy(() => import('./tasks/task-page.tsx')),
  live: lazy(() => import('./live/live-page.tsx')),
  'event-types': lazy(() => import('./event-types/event-types-page.tsx')),
  'event-types/new': lazy(() => import('./event-types/new-event-type-page.tsx')),
  'event-types/:name': lazy(() => import('./event-types/event-type-page.tsx')),
  'event-types/:name/edit': lazy(() => import('./event-types/edit-event-type-page.tsx')),
  'api-keys': lazy(() => import('./api-keys/api-keys-page.tsx')),
  'audit-log': lazy(() => import('./audit/audit-log-page.tsx')),
  portal: lazy(() => import('./portal/portal-page.tsx')),
  receiver: lazy(() => import('./receiver/receiver-page.tsx')),
  explore: lazy(() => import('./explore/explore-page.tsx')),
  organizations: lazy(() => import('./organizations/organizations-page.tsx')),
  jobs: lazy(() => import('./jobs/jobs-page.tsx')),
  '*': lazy(() => import('./shell/not-found-page.tsx')),
}

/** Without Explore or the test receiver, its path is that of no page. */
const ROUTES = Object.entries(PAGES).filter(
  ([path]) => (isExploreEnabled || path !== 'explore') && (hasTestReceiver || path !== 'receiver'),
)

/** Pages of the whole organization, which a session restricted to one webhook cannot read. */
const OF_ALL_WEBHOOKS = ['overview', 'events']

export function Pages() {
  const { webhookId } = useSession()
  const isHome = (path: string) => webhookId !== null && OF_ALL_WEBHOOKS.includes(path)
  return (
    <Routes>
      <Route element={isEmbedded ? <EmbeddedShell /> : <Shell />}>
        <Route index element={<Home />} />
        <Route path="sign-in" element={<Home />} />
        {ROUTES.map(([path, Page]) => (
          <Route key={path} path={path} element={isHome(path) ? <Home /> : <Page />} />
        ))}
      </Route>
    </Routes>
  )
}

/** Redirects to the first page that the viewer may see. The viewer is signed in, so `/sign-in` does the same. */
function Home() {
  const [first] = navigationFor(useSession()).flatMap(({ destinations }) => destinations)
  return <Navigate to={first?.to ?? '/event-types'} replace />
}
