import { createHash } from 'node:crypto'
import type { McpAccess } from '../config/setting-parsers.ts'
import * as documents from './documents.ts'

/** The documents of the tools by their hashes, those that change nothing or all: the server runs no other for an agent. */
export function trustedDocumentsOf(access: McpAccess): Record<string, string> {
  if (access === 'off') return {}
  const allowed = Object.values(documents).filter(
    (text) => access === 'write' || !/^\s*mutation\b/.test(text),
  )
  return Object.fromEntries(allowed.map((text) => [hashOf(text), text]))
}

/** As in Apollo's protocol of persisted queries. */
export function hashOf(document: string): string {
  return createHash('sha256').update(document).digest('hex')
}
