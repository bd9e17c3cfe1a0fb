import { useAction } from '../api/use-action.ts'
import { notifySuccess } from '../components/notify.ts'
import { IncidentUpdateDocument, type UpdateIncidentInput } from '../generated/graphql.ts'

/** Resolves to an error message, or to null. */
export type ChangeIncident = (input: UpdateIncidentInput, success: string) => Promise<string | null>

/** Changes an incident, and says that it did. */
export function useIncidentUpdate(id: string, done: () => void) {
  const { run, running } = useAction(IncidentUpdateDocument)

  const change: ChangeIncident = async (input, success) => {
    const outcome = await run({ id, input })
    if (!outcome.ok) return outcome.message
    notifySuccess(success)
    done()
    return null
  }
  return { change, running }
}
