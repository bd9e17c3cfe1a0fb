import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { OrganizationsSearchDocument } from '../../generated/graphql.ts'
import { recentItems } from '../../lib/storage.ts'

/** How long the reader pauses before the text is searched. */
const PAUSE_MS = 200

/** The organizations whose name contains a text, which the server finds. Without a text, the recent ones come first. */
export function useOrganizations(text: string, { isOpen }: { readonly isOpen: boolean }) {
  const [search] = useDebouncedValue(text, PAUSE_MS)
  const [{ data, fetching }] = useQuery({
    query: OrganizationsSearchDocument,
    variables: { search: search || null },
    pause: !isOpen,
  })
  const isSearching = fetching || search !== text || !data
  const recent = text === '' && isOpen ? recentOrganizations.read() : []
  const found = isSearching ? [] : (data.organizations?.nodes ?? [])
  const others = found.filter(({ id }) => !recent.some((one) => one.id === id))
  const groups = [
    { label: 'Recent', organizations: recent },
    { label: 'Organizations', organizations: others },
  ].filter(({ organizations }) => organizations.length > 0)
  return { groups, isSearching }
}

/** The organizations that this tab opened last. */
export const recentOrganizations = recentItems<{ readonly id: string; readonly name: string }>(
  'posthorn-recent-organizations',
)
