import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Client, useClient } from 'urql'
import { dataOf } from '../../api/request-error.ts'
import { notifyError } from '../../components/notify.ts'
import type { Selection } from '../../components/selection/use-selection.ts'
import {
  type DeliveryFilter,
  DeliveryIdsDocument,
  type DeliveryIdsQuery,
  type DeliveryIdsQueryVariables,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'

/** A bulk action takes at most this many ids. */
const MAX_IDS = 1_000
const PAGE = 100

interface SelectMatchingProps {
  readonly filter: DeliveryFilter
  readonly selection: Selection
}

/**
 * Selects what is on other pages too: everything that matches or, for a search key, which no bulk action takes, the first
 * thousand by their ids.
 */
export function SelectMatching({ filter, selection }: SelectMatchingProps) {
  const client = useClient()
  const [loading, setLoading] = useState(false)

  async function selectFirst() {
    setLoading(true)
    try {
      selection.select(await firstIds(client, filter))
    } catch (error) {
      notifyError(`The matching deliveries could not be listed: ${(error as Error).message}`)
    }
    setLoading(false)
  }

  if (filter.key != null) {
    return (
      <Button size="compact-xs" variant="subtle" loading={loading} onClick={selectFirst}>
        {`Select the first ${formatCount(MAX_IDS)} that match`}
      </Button>
    )
  }
  return (
    <Button size="compact-xs" variant="subtle" onClick={selection.selectAll}>
      {t('Select all that match')}
    </Button>
  )
}

async function firstIds(client: Client, filter: DeliveryFilter): Promise<readonly string[]> {
  const ids: string[] = []
  let after: string | null | undefined = null
  do {
    const variables: DeliveryIdsQueryVariables = { filter, first: PAGE, after }
    const result = await client
      .query(DeliveryIdsDocument, variables, { requestPolicy: 'network-only' })
      .toPromise()
    const page: DeliveryIdsQuery['deliveries'] = dataOf(result).deliveries
    ids.push(...(page?.nodes.map(({ id }) => id) ?? []))
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after != null && ids.length < MAX_IDS)
  return ids
}
