import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react'
import { Provider, useQuery } from 'urql'
import { createClient } from '../api/client.ts'
import { describeError } from '../api/request-error.ts'
import { notifyError } from '../components/notify.ts'
import { ViewerDocument, type ViewerQuery } from '../generated/graphql.ts'
import { mount } from '../mount.ts'
import { t } from '../strings/t.ts'
import { readPortalLink } from './portal-link.ts'

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

interface Screens {
  readonly children: ReactNode
  readonly loading: ReactNode
  signedOut(reason: string | null, signedIn: () => void): ReactNode
  failed(message: string, retry: () => void): ReactNode
}

export const portalLink = mount.kind === 'portal' ? readPortalLink() : null

/** Shows the pages to a signed-in viewer, and otherwise the sign-in. */
export function SessionProvider(screens: Screens) {
  const [ended, setEnded] = useState<{ reason: string | null } | null>(null)
  // Each session has its own client, so that no data of the previous session stays in the cache.
  const [round, setRound] = useState(0)
  const wasSignedIn = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round needs a new client
  const client = useMemo(
    () =>
      createClient({
        token: portalLink?.token ?? null,
        // A viewer who was never signed in does not need a reason.
        onSignedOut: (reason) => setEnded({ reason: wasSignedIn.current ? reason : null }),
      }),
    [round],
  )
  if (ended) {
    return screens.signedOut(ended.reason, () => {
      setRound(round + 1)
      setEnded(null)
    })
  }
  return (
    <Provider value={client} key={round}>
      <Identify
        {...screens}
        onSignedIn={() => {
          wasSignedIn.current = true
        }}
        onSignedOut={() => {
          wasSignedIn.current = false
          setEnded({ reason: null })
        }}
      />
    </Provider>
  )
}

interface IdentifyProps extends Screens {
  onSignedIn(): void
  onSignedOut(): void
}

function Identify({ children, loading, failed, onSignedIn, onSignedOut }: IdentifyProps) {
  const [{ data, error }, reload] = useQuery({
    query: ViewerDocument,
    requestPolicy: 'network-only',
  })
  const viewer = data?.viewer
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks do not change the session
  const session = useMemo<Session | null>(() => {
    if (!viewer) return null
    onSignedIn()
    const scopes = new Set(viewer.scopes)
    return {
      viewer,
      webhookId: viewer.portal?.webhookId ?? null,
      can: (scope) => scopes.has(scope) || scopes.has('admin'),
      async signOut() {
        const headers = { 'posthorn-console': '1' }
        const ended = await fetch('/console/session', { method: 'DELETE', headers }).catch(
          () => null,
        )
        if (ended?.ok) {
          // The tabs and the history of Explore.
          sessionStorage.clear()
          // A person who signed in at a provider also signs out there.
          if (ended.status === 200) location.assign((await ended.json()).signOutUrl)
          else onSignedOut()
        } else notifyError(t('session:signIn.notSignedOut'))
      },
    }
  }, [viewer])
  if (session) return <SessionContext value={session}>{children}</SessionContext>
  if (error)
    return failed(describeError(error).message, () => reload({ requestPolicy: 'network-only' }))
  return loading
}
