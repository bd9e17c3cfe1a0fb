import { Navigate } from 'react-router'
import { useSession } from '../session/session.tsx'
import { placesFor } from './navigation.ts'

/** Leads to the first page that the viewer may see: of all or, with `place`, of that place. */
export function Home({ place }: { readonly place?: 'settings' }) {
  const places = placesFor(useSession())
  const { sections } = places.find(({ id }) => id === place) ?? places[0] ?? { sections: [] }
  return <Navigate to={sections[0]?.to ?? '/event-types'} replace />
}
