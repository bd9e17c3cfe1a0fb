import { z } from 'zod'

/** Whether contents are kept after they were needed. Null is the default: yes. */
export const keepRule = z
  .boolean('must be true or false')
  .nullable()
  .transform((keep) => keep ?? true)
