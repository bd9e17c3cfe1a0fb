import { Alert, Center, Loader, Text, Title } from '@mantine/core'
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { useRead } from '../api/use-read.ts'
import { notifyError } from '../components/notify.ts'
import { Centered } from '../components/page/centered.tsx'
import { QueryError } from '../components/query-error.tsx'
import { ViewerDocument, type ViewerQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { mount } from '../mount.ts'
import { UnreachableBar } from '../shell/unreachable-bar.tsx'
import { useHostSession } from './host-messages.ts'

const SignInPage = lazy(() => import('./sign-in-page.tsx'))

export type Viewer = ViewerQuery['viewer']

/** The viewer and their permissions. */
export interface Session {
  readonly viewer: Viewer
  /** The only webhook that a portal session may see: `wh_…`. Null without that restriction. */
  readonly webhookId: string | null
  can(scope: string): boolean
  signOut(): Promise<void>
}

const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session)
    throw new Error('There is no session here: this component belongs below SessionProvider.')
  return session
}

/** The one-time link in the URL's fragment, which it leaves. */
const signInLink = mount.kind === 'console' ? takeSignInLink() : null

function takeSignInLink(): string | null {
  const link = new URLSearchParams(location.hash.slice(1)).get('link')
  if (link !== null) history.replaceState(history.state, '', '/console')
  return link
}

/** Shows the pages to a signed-in viewer, and otherwise the sign-in, which loads the page again. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const { data, error, reload } = useRead(
    ViewerDocument,
    {},
    { requestPolicy: 'network-only', pause: signInLink !== null },
  )
  // The last one stays while a renewed session is read.
  const [viewer, setViewer] = useState<Viewer>()
  if (data && data.viewer !== viewer) setViewer(data.viewer)
  useHostSession(viewer, reload)
  const session = useMemo(() => viewer && sessionOf(viewer), [viewer])
  const { endedBecause } = useConnection()
  const isPortal = mount.kind === 'portal'

  if (signInLink !== null || (endedBecause !== null && !(isPortal && session))) {
    // A viewer who was not signed in needs no reason.
    if (isPortal) return <PortalEndedPage />
    return (
      <Suspense>
        <SignInPage link={signInLink} reason={session ? endedBecause : null} />
      </Suspense>
    )
  }
  if (session) {
    return (
      <SessionContext value={session}>
        {endedBecause !== null && (
          <Alert color="yellow" role="alert" m="md" title={t('This session has ended')}>
            This page keeps what you entered. To save it, return to your application and sign in
            there.
          </Alert>
        )}
        {children}
      </SessionContext>
    )
  }
  if (error) {
    return (
      <Centered>
        <UnreachableBar />
        <QueryError error={error} reload={reload} />
      </Centered>
    )
  }
  return (
    <Center mih="100dvh">
      <Loader aria-label={t('Loading')} />
    </Center>
  )
}

/** Only the application that embeds the portal can start another session. */
function PortalEndedPage() {
  return (
    <Centered>
      <Title order={1} size="h3">
        {t('This session has ended')}
      </Title>
      <Text c="dimmed">
        {t('Return to your application, and open this page again from there.')}
      </Text>
    </Centered>
  )
}

function sessionOf(viewer: Viewer): Session {
  const scopes = new Set(viewer.scopes)
  return {
    viewer,
    webhookId: viewer.session?.webhookId ?? null,
    can: (scope) => scopes.has(scope) || scopes.has('admin'),
    signOut,
  }
}

/** Ends the session of the console, and shows the sign-in. */
async function signOut(): Promise<void> {
  const headers = { 'posthorn-console': '1' }
  const ended = await fetch('/console/session', { method: 'DELETE', headers }).catch(() => null)
  if (!ended?.ok) {
    return notifyError('Posthorn is unreachable, so you are still signed in. Try again.')
  }
  sessionStorage.clear()
  // What GraphiQL keeps is not for the next person who signs in.
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith('graphiql:')) localStorage.removeItem(name)
  }
  // A person who signed in at a provider also signs out there.
  if (ended.status === 200) location.assign((await ended.json()).signOutUrl)
  else location.reload()
}
