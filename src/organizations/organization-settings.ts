import { z } from 'zod'
import type { Settings } from '../lib/setting.ts'
import { METADATA_RULE, metadataRule } from './own-names/metadata.ts'
import { UID_RULE, uidRule } from './own-names/uid.ts'
import {
  KEEP_PAYLOADS,
  KEEP_RESPONSE_BODIES,
  keepRule,
  RETENTION_DAYS,
  retentionDaysRule,
} from './retention/retention-rules.ts'

/** All that an operator can set. */
export const ORGANIZATION_SETTINGS = {
  name: {
    rule: z
      .string('must be a string')
      .trim()
      .min(1, 'must not be empty')
      .max(200, 'must have at most 200 characters')
      .refine((text) => !text.includes('\0'), 'must not contain the NUL character'),
    required: true,
    description: 'The name: 1 to 200 characters.',
  },
  uid: {
    rule: uidRule.nullable(),
    forSessions: false,
    description: `A name of your choice, unique in the installation: ${UID_RULE}. Null, the default: none.`,
  },
  metadata: {
    rule: metadataRule,
    forSessions: false,
    description: `Labels of your choice, all of them: ${METADATA_RULE}. Null, the default: none.`,
  },
  retentionDays: {
    rule: retentionDaysRule,
    description: `${RETENTION_DAYS} Null, the default: as long as POSTHORN_RETENTION says.`,
  },
  keepResponseBodies: {
    rule: keepRule,
    description: `${KEEP_RESPONSE_BODIES} Default: true.`,
  },
  keepPayloads: {
    rule: keepRule,
    description: `${KEEP_PAYLOADS} Default: true.`,
  },
} as const satisfies Settings
