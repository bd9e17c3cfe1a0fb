import { recentItems } from '../storage.ts'

/** The organizations that this tab opened last. */
export const recentOrganizations = recentItems<{ readonly id: string; readonly name: string }>(
  'posthorn-recent-organizations',
)
