import { createHash } from 'node:crypto'
import type { McpAccess } from '../config/setting-parsers.ts'
import * as generated from './generated/graphql.ts'

/** The documents of the tools by their hashes, those that change nothing or all: the server runs no other for an agent. */
export function trustedDocumentsOf(access: McpAccess): Record<string, string> {
  if (access === 'off') return {}
  const allowed = DOCUMENTS.filter((text) => access === 'write' || !isMutation(text))
  return Object.fromEntries(allowed.map((text) => [hashOf(text), text]))
}

/** As in Apollo's protocol of persisted queries. */
export function hashOf(document: string): string {
  return createHash('sha256').update(document).digest('hex')
}

const DOCUMENTS = Object.entries(generated).flatMap(([name, document]) =>
  name.endsWith('Document') ? [document.toString()] : [],
)

const isMutation = (text: string) => /^\s*mutation\b/.test(text)
