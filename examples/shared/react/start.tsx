import { Component, type ReactNode, StrictMode, Suspense, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import '../page.css'
import { openSession, type Session } from '../session.ts'

/** Opens a session, then shows the page. */
export async function start(client: string, page: (session: Session) => ReactNode): Promise<void> {
  const root = createRoot(document.querySelector('main') as HTMLElement)
  try {
    const session = await openSession()
    root.render(
      <StrictMode>
        <header>
          <h1>Webhooks</h1>
          <p className="quiet">An example with {client}</p>
        </header>
        <SessionNotice session={session} />
        {page(session)}
      </StrictMode>,
    )
  } catch (error) {
    root.render(<Notice>{(error as Error).message}</Notice>)
  }
}

export function Notice({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="notice">
      {children}
    </p>
  )
}

function SessionNotice({ session }: { session: Session }) {
  const ended = useSyncExternalStore(session.onEnd, () => session.ended)
  return ended !== null && <Notice>{ended}</Notice>
}

/** A part of the page that loads, and fails, by itself. */
export class Part extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    if (this.state.error) return <Notice>{this.state.error.message}</Notice>
    return <Suspense fallback={<Loading />}>{this.props.children}</Suspense>
  }
}

export function Loading() {
  return <p className="quiet">Loading…</p>
}
