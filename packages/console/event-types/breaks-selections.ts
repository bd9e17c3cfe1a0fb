import type { Rejection } from '../api/use-action.ts'

/** Whether a change of the catalogue was refused because selections of webhooks name what the change removes. */
export const breaksSelections = ({ issues }: Rejection) =>
  issues.some(({ path }) => path[0] === 'acceptBrokenSelections')
