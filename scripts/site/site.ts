import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '../..')

/** The path of the site at its host. */
export const BASE = '/docs'

/** The pages that starlight-openapi makes of `/openapi.json`. They have no Markdown. */
export const REST = 'reference/rest'
