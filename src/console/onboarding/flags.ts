import { readStored, store } from '../lib/storage.ts'

/** What this browser remembers about an organization: its first steps are done, or its signing secret was shown. */
type Flag = 'first-steps-done' | 'secret-shown'

const keyOf = (flag: Flag, organizationId: string) => `posthorn.${flag}.${organizationId}`

export const readFlag = (flag: Flag, organizationId: string) =>
  readStored('local', keyOf(flag, organizationId)) === 'yes'

export const setFlag = (flag: Flag, organizationId: string) =>
  store('local', keyOf(flag, organizationId), 'yes')
