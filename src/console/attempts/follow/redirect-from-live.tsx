import { Navigate, useSearchParams } from 'react-router'

/** Leads from the address of the page *Live*, which is now the switch *Follow* on *Attempts*. */
export function RedirectFromLive() {
  const [params] = useSearchParams()
  const webhook = params.get('webhook')
  const filters = new URLSearchParams({
    follow: 'on',
    ...(webhook && { webhook }),
    ...(params.has('failed') && { status: 'FAILED' }),
  })
  return <Navigate to={`/attempts?${filters}`} replace />
}
