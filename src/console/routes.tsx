import { Navigate, Route, Routes } from 'react-router'
import { ROUTES } from './pages.ts'
import { isEmbedded } from './session/portal.ts'
import { useSession } from './session/session.tsx'
import { EmbeddedShell } from './shell/embedded-shell.tsx'
import { navigationFor } from './shell/navigation.ts'
import { Shell } from './shell/shell.tsx'
import { usePageData } from './shell/use-page-data.ts'

/** Pages of the whole organization, which a session restricted to one webhook cannot read. */
const OF_ALL_WEBHOOKS = ['overview', 'events']

export function Pages() {
  const { webhookId } = useSession()
  usePageData()
  const isHome = (path: string) => webhookId !== null && OF_ALL_WEBHOOKS.includes(path)
  return (
    <Routes>
      <Route element={isEmbedded ? <EmbeddedShell /> : <Shell />}>
        <Route index element={<Home />} />
        <Route path="sign-in" element={<Home />} />
        {ROUTES.map(([path, { Page }]) => (
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
