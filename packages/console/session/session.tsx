import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Provider, useQuery } from 'urql'
import { createClient } from '../api/client.ts'
import { describeError } from '../api/request-error.ts'
import { notifyError } from '../components/notify.ts'
import { ViewerDocument, type ViewerQuery } from '../generated/graphql.ts'
import { mount } from '../mount.ts'
import { onRenewal, tellHost, useSessionExpiry } from './host-messages.ts'
import { portalToken, takeOverSession } from './portal.ts'
import { hasSignInLink } from './sign-in.ts'

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
  /** Above the pages of a portal whose session has ended. They keep what the reader typed. */
  readonly ended: ReactNode
  readonly loading: ReactNode
  signedOut(reason: string | null, signedIn: () => void): ReactNode
  failed(message: string, retry: () => void): ReactNode
}

/** Shows the pages to a signed-in viewer, and otherwise the sign-in. */
export function SessionProvider(screens: Screens) {
  const [ended, setEnded] = useState<{ reason: string | null } | null>(() =>
    mount.kind === 'console' && hasSignInLink() ? { reason: null } : null,
  )
  // Each session has its own client, so that no data of the previous session stays in the cache.
  const [round, setRound] = useState(0)
  const [renewals, setRenewals] = useState(0)
  const wasSignedIn = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round needs a new client
  const client = useMemo(
    () =>
      createClient({
        token: portalToken,
        // A viewer who was never signed in does not need a reason.
        onSignedOut(reason) {
          setEnded({ reason: wasSignedIn.current ? reason : null })
          tellHost({ type: 'posthorn:session-ended' })
        },
      }),
    [round],
  )
  useEffect(
    () =>
      onRenewal((url) => {
        if (!takeOverSession(url)) return
        if (wasSignedIn.current) setRenewals((count) => count + 1)
        else setRound((count) => count + 1)
        setEnded(null)
      }),
    [],
  )
  const isKept = mount.kind === 'portal' && ended?.reason != null
  if (ended && !isKept) {
    return screens.signedOut(ended.reason, () => {
      setRound(round + 1)
      setEnded(null)
    })
  }
  return (
    <Provider value={client} key={round}>
      {isKept && screens.ended}
      <Identify
        {...screens}
        renewals={renewals}
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
  /** How many times the host application has renewed the session. */
  readonly renewals: number
  onSignedIn(): void
  onSignedOut(): void
}

function Identify({ children, loading, failed, renewals, ...events }: IdentifyProps) {
  const { onSignedIn, onSignedOut } = events
  const [{ data, error }, reload] = useQuery({
    query: ViewerDocument,
    requestPolicy: 'network-only',
  })
  const viewer = useLast(data?.viewer)
  useSessionExpiry(viewer?.session?.expiresAt ?? null)
  useEffect(() => {
    if (renewals > 0) reload({ requestPolicy: 'network-only' })
  }, [renewals, reload])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks do not change the session
  const session = useMemo<Session | null>(() => {
    if (!viewer) return null
    onSignedIn()
    const scopes = new Set(viewer.scopes)
    return {
      viewer,
      webhookId: viewer.session?.webhookId ?? null,
      can: (scope) => scopes.has(scope) || scopes.has('admin'),
      async signOut() {
        const headers = { 'posthorn-console': '1' }
        const ended = await fetch('/console/session', { method: 'DELETE', headers }).catch(
          () => null,
        )
        if (ended?.ok) {
          sessionStorage.clear()
          forgetOperations()
          // A person who signed in at a provider also signs out there.
          if (ended.status === 200) location.assign((await ended.json()).signOutUrl)
          else onSignedOut()
        } else notifyError('Posthorn is unreachable, so you are still signed in. Try again.')
      },
    }
  }, [viewer])
  if (session) return <SessionContext value={session}>{children}</SessionContext>
  if (error)
    return failed(describeError(error).message, () => reload({ requestPolicy: 'network-only' }))
  return loading
}

/** Deletes what GraphiQL keeps, so that the next person who signs in does not see it. */
function forgetOperations(): void {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith('graphiql:')) localStorage.removeItem(name)
  }
}

/** The viewer, also while a renewed session is read. A session of other data starts the page again. */
function useLast(viewer: Viewer | undefined): Viewer | undefined {
  const [last, setLast] = useState(viewer)
  if (viewer && viewer !== last) setLast(viewer)
  const first = useRef<string | null>(null)
  useEffect(() => {
    if (!viewer || mount.kind !== 'portal') return
    const scope = `${viewer.organization.id} ${viewer.session?.webhookId}`
    first.current ??= scope
    if (first.current !== scope) location.reload()
    tellHost({ type: 'posthorn:session-started' })
  }, [viewer])
  return viewer ?? last
}
